package io.deepvm.cluster.simulation;

import io.deepvm.cluster.agent.AgentAction;
import io.deepvm.cluster.agent.AgentInput;
import io.deepvm.cluster.agent.AgentMachine;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import java.util.List;
import java.util.function.Consumer;

/** A machine with a node agent, whose logic is the real one, and a simulated training process. */
final class SimNode implements SimTraining.Owner, AgentAction.Visitor {

  /** How often an agent repeats its status as a sign of life. */
  private static final long BEAT_MS = 1_000;

  /**
   * What happens to a node.
   *
   * @param gone receives the end of the agent
   * @param mayDie called wherever an agent can be killed
   */
  record Surroundings(Runnable gone, Consumer<SimNode> mayDie) {}

  final String name;
  final Scheduler.Life life = new Scheduler.Life();
  private final Scheduler scheduler;
  private final SimTraining training;
  private final AgentMachine machine;
  private final Consumer<AgentStatus> sends;
  private final Runnable gone;
  private final Runnable mayDie;
  private SimTraining.Child child;
  private long sentVersion;
  private long wakeNumber;

  SimNode(
      String name,
      Work work,
      Scheduler scheduler,
      SimTraining training,
      Consumer<AgentStatus> sends,
      Surroundings around) {
    this.name = name;
    this.scheduler = scheduler;
    this.training = training;
    this.sends = sends;
    this.gone = around.gone();
    this.mayDie = () -> around.mayDie().accept(this);
    this.machine = new AgentMachine(name, "host-" + name, work, 0, scheduler.nowMs());
    beat();
    arm();
  }

  private void beat() {
    sends.accept(machine.status());
    scheduler.afterMs(life, BEAT_MS, this::beat);
  }

  void ordered(AgentOrders orders) {
    take(new AgentInput.Ordered(orders));
  }

  /** The machine itself gets a notice. */
  void noticed(double leadSeconds, AgentInput.Certainty certainty) {
    take(new AgentInput.Noticed("its cloud", leadSeconds, certainty));
  }

  /** The notice of the machine is withdrawn. */
  void withdrawn() {
    take(new AgentInput.Withdrawn("its cloud"));
  }

  private void take(AgentInput input) {
    if (life.isDead()) {
      return;
    }
    List<AgentAction> actions = machine.take(input, scheduler.nowMs());
    for (AgentAction action : actions) {
      mayDie.run();
      if (life.isDead()) {
        return;
      }
      action.accept(this);
    }
    mayDie.run();
    if (!life.isDead() && machine.status().version() != sentVersion) {
      sentVersion = machine.status().version();
      sends.accept(machine.status());
    }
    arm();
  }

  private void arm() {
    long number = ++wakeNumber;
    long wake = machine.nextWakeMs();
    if (wake < Long.MAX_VALUE) {
      scheduler.afterMs(
          life,
          Math.max(1, wake - scheduler.nowMs()),
          () -> {
            if (number == wakeNumber) {
              take(new AgentInput.Woke());
            }
          });
    }
  }

  /** Takes the machine away with everything on it. */
  void kill() {
    if (!life.isDead()) {
      life.kill();
      if (child != null) {
        child.end(-9, "");
      }
      gone.run();
    }
  }

  /** The agent and its process stop to answer; the machine stays. */
  void freeze() {
    life.kill();
    if (child != null) {
      child.life.kill();
    }
  }

  // --- What the process does ---

  @Override
  public void reported(int process, Report report) {
    scheduler.afterMs(life, 1, () -> take(new AgentInput.Reported(process, report)));
  }

  @Override
  public void wrote(int process) {
    take(new AgentInput.Wrote(process));
  }

  @Override
  public void ended(int process, int code, String tail) {
    scheduler.afterMs(life, 5, () -> take(new AgentInput.Ended(process, code, tail, null)));
  }

  @Override
  public boolean isReachable() {
    return !life.isDead();
  }

  // --- What the agent wants ---

  @Override
  public void launch(AgentAction.Launch action) {
    child = training.start(name, action.process(), this);
    if (action.generation() != null) {
      training.begin(child, action.generation().number(), action.generation().members());
    }
    int process = action.process();
    scheduler.afterMs(life, 2, () -> take(new AgentInput.Started(process)));
  }

  @Override
  public void tell(AgentAction.Tell action) {
    if (child != null && action.order() instanceof Order.Form form) {
      training.form(child, form);
    }
  }

  @Override
  public void signal(AgentAction.Signal action) {}

  @Override
  public void stop(AgentAction.Stop action) {
    SimTraining.Child ends = child;
    long ms = Math.round(1000 * action.patienceSeconds());
    if (ends != null) {
      scheduler.afterMs(ends.life, ends.hangs ? ms : Math.min(ms, 200), () -> ends.end(0, ""));
    }
  }

  @Override
  public void kill(AgentAction.Kill action) {
    SimTraining.Child ends = child;
    if (ends != null) {
      scheduler.afterMs(life, 10, () -> ends.end(-9, ""));
    }
  }

  @Override
  public void writeNotice(AgentAction.WriteNotice action) {}

  @Override
  public void deleteNotice(AgentAction.DeleteNotice action) {}

  @Override
  public void pickPort(AgentAction.PickPort action) {
    scheduler.afterMs(life, 1, () -> take(new AgentInput.PortPicked(action.generation(), 29_500)));
  }

  @Override
  public void end(AgentAction.End action) {
    kill();
  }
}
