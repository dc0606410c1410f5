package io.deepvm.cluster;

import io.deepvm.cluster.keeper.Generation;
import io.deepvm.cluster.keeper.Keeper;
import io.deepvm.cluster.keeper.Registration;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.market.Pool;
import io.deepvm.market.SpotMarket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Forms a generation of members whenever some come or go. */
final class Formation {

  private final Coordinator coordinator;
  private final SpotMarket market;
  private final Keeper keeper;
  private final RunSpec spec;
  private final History history;
  private final Journal journal;
  private final Loop loop;
  private final Steps steps;
  private final Fleet fleet;
  private boolean planned;
  private long firstReadyNanos;

  // The members are right, but what they were told last does not hold for all of them.
  private boolean due;

  Formation(Coordinator coordinator, SpotMarket market, Keeper keeper) {
    this.coordinator = coordinator;
    this.market = market;
    this.keeper = keeper;
    this.spec = coordinator.spec();
    this.history = coordinator.history();
    this.journal = coordinator.journal();
    this.loop = coordinator.loop();
    this.steps = coordinator.steps();
    this.fleet = coordinator.fleet();
  }

  /** Finds out whether the members know of their generation. */
  void open() throws IOException {
    Generation told = keeper.generation();
    // Whoever led before may have died after it wrote one down and before it told the members.
    due = history.generation() > (told == null ? 0 : told.number());
  }

  /** Forms a generation soon, so that nodes that come up together join together. */
  void soon() {
    if (planned) {
      return;
    }
    planned = true;
    if (firstReadyNanos == 0) {
      firstReadyNanos = System.nanoTime();
    }
    loop.after(spec.joinSeconds(), this::asPlanned);
  }

  private void asPlanned() {
    boolean others =
        fleet.living().stream()
            .map(node -> history.state(node.name()))
            .anyMatch(state -> state == NodeState.REQUESTED || state == NodeState.BOOTING);
    double waited = (System.nanoTime() - firstReadyNanos) / 1e9;
    if (history.generation() == 0 && others && waited < spec.firstSeconds()) {
      loop.after(spec.joinSeconds(), this::asPlanned);
      return;
    }
    planned = false;
    now();
  }

  /** Forms a generation if the members are others than those of this one. */
  void ifChanged() {
    if (history.generation() > 0) {
      now();
    } else if (!eligible().isEmpty()) {
      soon();
    }
  }

  /** Forms the next generation as soon as one may be formed, if only with the same members. */
  void demand() {
    due = true;
  }

  /** Forms the next generation, if only with the same members. */
  void anew() {
    demand();
    now();
  }

  private void now() {
    if (coordinator.goesOn() && fleet.isHeard()) {
      List<Node> next = eligible();
      // While the run waits nobody trains, so those who did are as good as new ones.
      if (due
          || history.state() == RunState.WAITING
          || !names(next).equals(history.members())
          || changed(next)) {
        form(next);
      }
    }
  }

  /** Whether a member is another process than the one the generation has. */
  private boolean changed(List<Node> next) {
    return next.stream().anyMatch(node -> node.trains == 0) && history.state() == RunState.TRAINING;
  }

  /** Returns who can be a member: those who are keep their order, the others follow. */
  private List<Node> eligible() {
    List<Node> next = new ArrayList<>();
    for (Node node : members()) {
      if (fleet.lives(node) && node.ready()) {
        next.add(node);
      }
    }
    for (Node node : fleet.living()) {
      if (node.ready() && history.state(node.name()) != NodeState.NOTICED && !isMember(node)) {
        next.add(node);
      }
    }
    return next;
  }

  private static List<String> names(List<Node> list) {
    return list.stream().map(Node::name).toList();
  }

  private void form(List<Node> next) {
    steps.flush();
    long workers = count(next, Role.WORKER);
    if (workers < spec.minWorkers() || count(next, Role.SERVER) < spec.servers()) {
      if (history.state() != RunState.WAITING) {
        journal.turn(RunState.WAITING, "%d workers are too few".formatted(workers));
      }
      return;
    }
    long number = history.generation() + 1;
    int restarts = coordinator.restarts();
    journal.write(new Event.Generation(number, names(next), restarts));
    due = false;
    journal.turn(RunState.FORMING, "");
    List<Member> members = new ArrayList<>();
    for (Node node : next) {
      node.trains = 0;
      node.done = 0;
      if (history.state(node.name()) == NodeState.TRAINING) {
        journal.turn(node, NodeState.READY, "");
      }
      members.add(member(node));
    }
    journal.sync();
    try {
      keeper.write(new Generation(number, members, restarts));
    } catch (IOException e) {
      throw new IllegalStateException("Generation %d cannot be told.".formatted(number), e);
    }
    next.forEach(coordinator.blame()::asked);
    loop.aside(() -> forgetMeetings(number - 1));
  }

  private static long count(List<Node> nodes, Role role) {
    return nodes.stream().filter(node -> node.rented.role() == role).count();
  }

  private Member member(Node node) {
    Registration registration = node.registration;
    if (registration == null) {
      throw new IllegalStateException("A member is not registered: " + node.name());
    }
    Pool pool = market.pools().get(node.rented.pool());
    return new Member(
        node.name(),
        node.rented.role(),
        registration.host(),
        registration.port(),
        pool.place().toString(),
        spec.work().processes(pool.instanceType()));
  }

  private void forgetMeetings(long before) {
    try {
      keeper.forgetMeetings(before);
    } catch (IOException e) {
      // They are a few bytes, and the next generation tries again.
    }
  }

  /** Returns the members of this generation that are known here. */
  List<Node> members() {
    List<Node> known = new ArrayList<>();
    for (String name : history.members()) {
      Node node = fleet.find(name);
      if (node != null) {
        known.add(node);
      }
    }
    return known;
  }

  /** Whether this holds for every member of this generation. */
  boolean all(Predicate<Node> what) {
    List<Node> known = members();
    return known.size() == history.members().size() && known.stream().allMatch(what);
  }

  boolean isMember(Node node) {
    return history.members().contains(node.name());
  }

  /** A member has its state and begins to train. */
  void joined(Node node, long generation, long step, Report.Origin from) {
    if (generation != history.generation() || !isMember(node) || node.trains == generation) {
      return;
    }
    node.trains = generation;
    node.asked = 0;
    node.unformed = false;
    journal.write(new Event.Joined(node.name(), generation, step, from));
    if (history.state(node.name()) == NodeState.READY) {
      journal.turn(node, NodeState.TRAINING, "");
    }
    if (all(member -> member.trains == generation) && history.state() == RunState.FORMING) {
      coordinator.blame().stepped();
      journal.turn(RunState.TRAINING, "");
      coordinator.decide(false);
    }
  }
}
