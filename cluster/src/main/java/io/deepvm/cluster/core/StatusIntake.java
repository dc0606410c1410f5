package io.deepvm.cluster.core;

import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Report;
import org.jspecify.annotations.Nullable;

/**
 * Takes an agent's status in. A status holds everything that is so, therefore only what differs
 * from the state is written; the same status twice changes nothing the second time.
 */
final class StatusIntake {

  private StatusIntake() {}

  static void take(Turn turn, AgentStatus status) {
    NodeLife life = turn.state().find(status.node());
    if (life == null || turn.state().phase().now().isEnd()) {
      return;
    }
    String name = life.name();
    if (life.lives() && !turn.state().isOver()) {
      registered(turn, name, status);
      exited(turn, name, status.process().exit());
      barrier(turn, name, status.barrier());
      work(turn, name, status.work());
      notice(turn, name, status.notice());
    }
    // What a process saves at its end counts, even if its node does not count any more.
    status.work().saved().forEach(saved -> saved(turn, name, saved));
  }

  private static void saved(Turn turn, String name, Report.Saved saved) {
    long before = turn.state().node(name).process().saved().getOrDefault(saved.state(), -1L);
    if (saved.step() > before) {
      turn.write(new Event.Saved(name, saved.step(), saved.state(), saved.reason()));
    }
  }

  private static void registered(Turn turn, String name, AgentStatus status) {
    AgentStatus.TrainingProcess process = status.process();
    NodeLife life = turn.state().node(name);
    AgentFacts facts =
        new AgentFacts(
            status.host(), process.number(), process.ready(), process.port(), turn.state().epoch());
    if (!facts.equals(life.agent())) {
      boolean restarted =
          life.agent() != null
              && life.agent().number() != process.number()
              && (life.state() == NodeState.READY || life.state() == NodeState.TRAINING)
              && !Kinds.isCommand(turn.state());
      if (restarted) {
        // The process ended and another started before we saw it.
        turn.turn(life, NodeState.BOOTING, "its process ended");
      }
      turn.write(
          new Event.Registered(
              name, status.host(), process.number(), process.ready(), process.port()));
    }
    life = turn.state().node(name);
    if (life.state() == NodeState.REQUESTED) {
      // The cloud's answer was lost or is late; the machine is there all the same.
      turn.turn(life, NodeState.BOOTING, "");
      life = turn.state().node(name);
    }
    if (process.ready() && life.state() == NodeState.BOOTING) {
      turn.turn(life, NodeState.READY, "");
      turn.askPolicy();
    } else if (!process.ready()
        && (life.state() == NodeState.READY || life.state() == NodeState.TRAINING)) {
      turn.turn(life, NodeState.BOOTING, "its process ended");
    }
  }

  /** The machine itself got a notice, or its source withdrew that. */
  private static void notice(Turn turn, String name, AgentStatus.@Nullable MachineNotice notice) {
    NodeLife life = turn.state().node(name);
    if (notice == null) {
      return;
    }
    int known = life.process().warning().machineNotice();
    boolean noticed = life.state() == NodeState.NOTICED;
    if (notice.stands() && notice.number() > known && life.state().mayTurn(NodeState.NOTICED)) {
      turn.write(new Event.Warned(name, notice.leadSeconds(), notice.number()));
      turn.turn(life, NodeState.NOTICED, notice.reason());
      turn.askPolicy();
    } else if (!notice.stands() && notice.number() == known && noticed) {
      Sparing.spare(turn, name);
    }
  }

  private static void exited(Turn turn, String name, AgentStatus.@Nullable Exit exit) {
    NodeLife life = turn.state().node(name);
    if (exit == null || exit.number() <= life.process().exited()) {
      return;
    }
    Event.Exited event =
        new Event.Exited(
            name, exit.number(), exit.generation(), exit.code(), exit.tail(), exit.localRank());
    turn.write(event);
    boolean command = Kinds.isCommand(turn.state());
    boolean current = exit.generation() == turn.state().membership().number();
    if ((command && !current) || life.hasFinished()) {
      return;
    }
    if (life.state() == NodeState.NOTICED) {
      // It had a notice, so its end says nothing of the work.
      turn.write(new Event.Departed(name));
      if (command) {
        // The node has no more use, so it is not paid until the cloud takes it.
        turn.lose(turn.state().node(name), "its process ended after the notice");
      }
    } else if (exit.code() == Words.NOT_FOUND || exit.code() == Words.CANNOT_EXECUTE) {
      turn.conclude(RunPhase.FAILED, Words.exit(turn.facts().spec().work(), event));
    } else if (!command) {
      turn.failed(turn.state().node(name), Words.exit(turn.facts().spec().work(), event));
    }
  }

  private static void barrier(Turn turn, String name, AgentStatus.Barrier barrier) {
    Membership membership = turn.state().membership();
    long generation = membership.number();
    if (generation == 0 || !membership.has(name)) {
      return;
    }
    Part part = turn.state().node(name).part();
    boolean asked = part instanceof Part.Asked && part.generation() == generation;
    if (asked && barrier.cleared() == generation) {
      turn.write(new Event.Cleared(name, generation, barrier.masterPort()));
    }
    part = turn.state().node(name).part();
    boolean cleared = part instanceof Part.Cleared && part.generation() == generation;
    if (cleared && barrier.launched() == generation) {
      joined(turn, name, -1, Report.Origin.FRESH);
    }
    Report.Formed formed = barrier.formed();
    boolean members = !Kinds.isCommand(turn.state());
    if (members && asked && formed != null && formed.generation() == generation) {
      joined(turn, name, formed.step(), formed.from());
    } else if (members && asked && barrier.forming() > 0) {
      forming(turn, name, barrier.forming());
    }
    suspect(turn, name, barrier.suspect());
  }

  private static void joined(Turn turn, String name, long step, Report.Origin from) {
    turn.write(new Event.Joined(name, turn.state().membership().number(), step, from));
    NodeLife life = turn.state().node(name);
    if (life.state() == NodeState.READY) {
      turn.turn(life, NodeState.TRAINING, "");
    }
  }

  /** Starts the form timeouts again, but writes that at most ten times in a timeout. */
  private static void forming(Turn turn, String name, long count) {
    Part part = turn.state().node(name).part();
    long timeout = Kinds.ms(Kinds.timeouts(turn.state()).formSeconds());
    boolean old =
        part instanceof Part.Asked asked && asked.untilMs() - turn.nowMs() < timeout * 9 / 10;
    if (old && count > 0) {
      turn.write(new Event.Forming(name));
    }
  }

  private static void suspect(Turn turn, String name, Report.@Nullable Suspect suspect) {
    long generation = turn.state().membership().number();
    if (suspect == null
        || suspect.generation() != generation
        || turn.state().node(name).doubt().reportedIn() >= generation) {
      return;
    }
    turn.write(new Event.Suspected(name, suspect.node(), suspect.reason()));
    Blaming.suspected(turn, suspect.node());
  }

  private static void work(Turn turn, String name, AgentStatus.Work work) {
    long generation = turn.state().membership().number();
    Report.Step step = work.step();
    boolean newer = step != null && step.step() > turn.state().steps().step();
    if (step != null && newer && step.generation() == generation) {
      turn.write(
          new Event.Progress(
              name,
              step.generation(),
              step.step(),
              step.samples(),
              step.loss(),
              step.computeSeconds(),
              step.communicationSeconds(),
              step.waitSeconds(),
              step.checkpointSeconds()));
    }
    Report.Finished finished = work.finished();
    if (finished != null && !turn.state().node(name).hasFinished()) {
      turn.write(
          new Event.Progress(
              name, generation, finished.step(), finished.samples(), finished.loss(), 0, 0, 0, 0));
      turn.write(new Event.Completed(name));
    }
    boolean silent = work.silent() == generation && generation > 0;
    boolean before = turn.state().node(name).doubt().silentIn() == generation && generation > 0;
    if (silent != before) {
      turn.write(new Event.Silenced(name, generation, silent));
    }
  }
}
