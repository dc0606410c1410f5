package io.deepvm.cluster.simulation;

import io.deepvm.cluster.link.AgentAddress;
import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.link.Links;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** Carries messages between coordinator and agents: late, twice, out of order, cut or never. */
final class SimNetwork {

  private static final long BEAT_MS = 1_000;
  private static final long PAUSED_MS = 500;

  private final Scheduler scheduler;
  private final Chance chance;
  private final Faults faults;
  private final long sessionMs;
  private final Map<String, SimNode> agents = new LinkedHashMap<>();
  private final Map<String, Long> cutUntilMs = new LinkedHashMap<>();
  private final Set<String> farSide = new LinkedHashSet<>();
  private long splitUntilMs;
  private End coordinator;

  SimNetwork(Scheduler scheduler, long seed, Faults faults, double sessionSeconds) {
    this.scheduler = scheduler;
    this.chance = new Chance(seed, "network");
    this.faults = faults;
    this.sessionMs = Math.round(1000 * sessionSeconds);
  }

  void attach(SimNode agent) {
    agents.put(agent.name, agent);
  }

  /** Splits the network of the nodes in two for a while, perhaps with the way to one side. */
  void maySplit() {
    if (agents.size() > 1 && faults.happens(chance, faults.split)) {
      farSide.clear();
      agents.keySet().stream().filter(name -> chance.hits(0.5)).forEach(farSide::add);
      splitUntilMs = scheduler.nowMs() + chance.between(500, 30_000);
      if (chance.hits(0.5)) {
        farSide.forEach(name -> cutUntilMs.put(name, splitUntilMs));
      }
    }
  }

  /** Whether a training process on one node reaches one on another. */
  boolean reaches(String from, String to) {
    boolean split = !faults.isOver() && scheduler.nowMs() < splitUntilMs;
    return !split || farSide.contains(from) == farSide.contains(to);
  }

  /** The agent's process is gone, which its connection shows unless the link is cut. */
  void detached(SimNode agent) {
    End end = coordinator;
    if (end != null && !isCut(agent.name) && end.isConnected(agent.name)) {
      scheduler.afterMs(
          end.process, chance.between(20, 300), () -> end.lost(agent.name, "its connection broke"));
    }
  }

  /** Sends an agent's status to the newest coordinator. */
  void send(AgentStatus status) {
    End end = coordinator;
    if (end != null && end.isConnected(status.node())) {
      carry(status.node(), end.process, () -> end.receive(status));
    }
  }

  private void carry(String node, Scheduler.Life to, Runnable deliver) {
    if (faults.happens(chance, faults.cut)) {
      cutUntilMs.put(node, scheduler.nowMs() + chance.between(500, 30_000));
    }
    if (isCut(node) || faults.happens(chance, faults.dropped)) {
      return;
    }
    long delay = faults.happens(chance, faults.slow) ? chance.between(0, 5_000) : chance.below(20);
    scheduler.afterMs(to, delay, deliver);
    if (faults.happens(chance, faults.repeated)) {
      scheduler.afterMs(to, delay + chance.below(3_000), deliver);
    }
  }

  private boolean isCut(String node) {
    return !faults.isOver() && cutUntilMs.getOrDefault(node, 0L) > scheduler.nowMs();
  }

  /** Opens the links of a coordinator's process. */
  Links open(Scheduler.Life process, Links.Listener listener, Runnable mayDie) {
    coordinator = new End(process, listener, mayDie);
    coordinator.beat();
    return coordinator;
  }

  private final class End implements Links {

    private final Scheduler.Life process;
    private final Listener listener;
    private final Runnable mayDie;
    private final Set<String> dialled = new LinkedHashSet<>();
    private final Map<String, AgentOrders> orders = new LinkedHashMap<>();
    private final Map<String, Long> heardMs = new LinkedHashMap<>();

    private long beatMs;

    End(Scheduler.Life process, Listener listener, Runnable mayDie) {
      this.process = process;
      this.listener = listener;
      this.mayDie = mayDie;
    }

    void beat() {
      long late = scheduler.nowMs() - beatMs - BEAT_MS;
      if (beatMs > 0 && late > PAUSED_MS) {
        // This process stood still, which is no silence of the others.
        heardMs.replaceAll((node, ms) -> ms + late);
      }
      beatMs = scheduler.nowMs();
      orders.forEach((node, newest) -> deliver(node));
      new LinkedHashMap<>(heardMs)
          .forEach(
              (node, ms) -> {
                if (scheduler.nowMs() - ms > sessionMs) {
                  lost(node, "its agent's session ended");
                }
              });
      scheduler.afterMs(process, BEAT_MS, this::beat);
    }

    /** Whether the agent connects by itself, or the coordinator has connected to it. */
    boolean isConnected(String node) {
      return !faults.dialled || dialled.contains(node);
    }

    void receive(AgentStatus status) {
      heardMs.put(status.node(), scheduler.nowMs());
      listener.status(status);
    }

    void lost(String node, String why) {
      if (heardMs.remove(node) != null) {
        listener.silent(node, why);
      }
    }

    @Override
    public void send(String node, AgentOrders newest) {
      mayDie.run();
      orders.put(node, newest);
      deliver(node);
    }

    private void deliver(String node) {
      SimNode agent = agents.get(node);
      AgentOrders newest = orders.get(node);
      if (agent != null && newest != null && !process.isDead() && isConnected(node)) {
        carry(node, agent.life, () -> agent.ordered(newest));
      }
    }

    @Override
    public void received(String node, long number) {}

    @Override
    public void dial(String node, AgentAddress address) {
      if (dialled.add(node)) {
        deliver(node);
      }
    }

    @Override
    public void forget(String node) {
      orders.remove(node);
      heardMs.remove(node);
      dialled.remove(node);
    }

    @Override
    public void close() {}
  }
}
