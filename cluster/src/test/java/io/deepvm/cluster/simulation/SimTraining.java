package io.deepvm.cluster.simulation;

import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * The training processes of all nodes and what they do together: meet, make steps, save, and
 * suspect each other. A step counts only if every member of its generation makes it.
 */
final class SimTraining {

  private static final long STEP_MS = 400;
  private static final long MEET_MS = 3_000;
  private static final int SAVE_EVERY = 5;

  /** Receives what a process does. */
  interface Owner {
    void reported(int process, Report report);

    void wrote(int process);

    void ended(int process, int code, String tail);

    boolean isReachable();
  }

  /** One training process. */
  final class Child {
    final String node;
    final int process;
    final Owner owner;
    final Scheduler.Life life = new Scheduler.Life();
    final int port = ++ports;
    long step = -1;
    long generation;
    boolean formed;
    boolean finished;
    boolean hangs;

    /** The generation in which the process found no way to go on, and waits for the next. */
    long gaveUp;

    Order.Form form;

    Child(String node, int process, Owner owner) {
      this.node = node;
      this.process = process;
      this.owner = owner;
    }

    boolean works() {
      return !life.isDead() && !hangs && owner.isReachable();
    }

    boolean isIn(long number) {
      return works() && generation == number && gaveUp != number;
    }

    void suspect(String other, String reason) {
      gaveUp = generation;
      report(new Report.Suspect(generation, other, reason));
    }

    void report(Report report) {
      if (works()) {
        owner.reported(process, report);
      }
    }

    /** Ends the process; nothing of it happens afterwards. */
    void end(int code, String tail) {
      if (!life.isDead()) {
        life.kill();
        children.remove(node, this);
        owner.ended(process, code, tail);
      }
    }
  }

  /**
   * The work.
   *
   * @param command whether it is done by commands, which start anew in every generation
   * @param bounded whether the run notices a process that hangs for ever
   * @param steps all that is to be done
   */
  record Task(boolean command, boolean bounded, long steps) {}

  private final Scheduler scheduler;
  private final Chance chance;
  private final Faults faults;
  private final boolean command;
  private final boolean bounded;
  private final long total;
  private final BiPredicate<String, String> reaches;
  private final Map<Long, Long> committed = new LinkedHashMap<>();
  private final Map<String, Child> children = new LinkedHashMap<>();
  private long durable;
  private long savedIn;
  private long commits;
  private long commandSteps;
  private int ports = 20_000;

  /**
   * Makes the training of a run.
   *
   * @param reaches whether a process on one node reaches one on another
   */
  SimTraining(
      Scheduler scheduler,
      long seed,
      Faults faults,
      Task task,
      BiPredicate<String, String> reaches) {
    this.reaches = reaches;
    this.scheduler = scheduler;
    this.chance = new Chance(seed, "training");
    this.faults = faults;
    this.command = task.command();
    this.bounded = task.bounded();
    this.total = task.steps();
  }

  long durable() {
    return durable;
  }

  long commits() {
    return commits;
  }

  /** Starts a process on a node. */
  Child start(String node, int process, Owner owner) {
    Child before = children.get(node);
    if (before != null && !before.life.isDead()) {
      throw new AssertionError("Node %s runs two processes.".formatted(node));
    }
    Child child = new Child(node, process, owner);
    children.put(node, child);
    if (command) {
      scheduler.afterMs(child.life, STEP_MS, () -> work(child));
    } else {
      scheduler.afterMs(
          child.life, chance.between(100, 3_000), () -> child.report(new Report.Ready(child.port)));
    }
    return child;
  }

  /** Draws the faults of a process that runs. */
  void trouble(Child child) {
    if (faults.happens(chance, faults.processDies)) {
      child.end(3, "boom");
    } else {
      mayHang(child);
    }
  }

  private void mayHang(Child child) {
    if (bounded && faults.happens(chance, faults.processHangs)) {
      // Only a kill ends it.
      child.hangs = true;
    }
  }

  // --- Members ---

  void form(Child child, Order.Form form) {
    if (form.generation() <= child.generation) {
      throw new AssertionError(
          "The process on %s was sent generation %d after %d."
              .formatted(child.node, form.generation(), child.generation));
    }
    child.generation = form.generation();
    child.form = form;
    child.formed = false;
    mayHang(child);
    scheduler.afterMs(child.life, chance.between(20, 300), () -> meet(form.generation()));
    scheduler.afterMs(child.life, MEET_MS, () -> missed(child, form.generation()));
  }

  /** Returns all members if each works in the generation and reaches every other; else none. */
  private List<Child> together(long generation, List<Member> members) {
    List<Child> all = new ArrayList<>();
    for (Member member : members) {
      Child child = children.get(member.node());
      if (child == null || !child.isIn(generation)) {
        return List.of();
      }
      for (Child other : all) {
        if (!reaches.test(child.node, other.node)) {
          return List.of();
        }
      }
      all.add(child);
    }
    return all;
  }

  /** Notes a step that a generation commits, which it does once and with one group of members. */
  private void commit(long generation, long step) {
    commits++;
    Long before = committed.put(generation, step);
    if (before != null && step != before + 1) {
      throw new AssertionError(
          "Generation %d commits step %d after step %d: two groups train in it."
              .formatted(generation, step, before));
    }
  }

  private void meet(long generation) {
    Child any =
        children.values().stream().filter(c -> c.generation == generation).findFirst().orElse(null);
    if (any == null) {
      return;
    }
    List<Child> all = together(generation, any.form.members());
    if (all.isEmpty() || all.stream().anyMatch(child -> child.formed)) {
      return;
    }
    long newest = all.stream().mapToLong(child -> child.step).max().orElse(-1);
    long step = Math.max(newest, durable);
    for (Child child : all) {
      Report.Origin from =
          child.step == step
              ? Report.Origin.KEPT
              : newest == step
                  ? Report.Origin.PEER
                  : step > 0 ? Report.Origin.CHECKPOINT : Report.Origin.FRESH;
      child.step = step;
      child.formed = true;
      child.report(new Report.Formed(generation, step, from));
    }
    Child first = all.get(0);
    scheduler.afterMs(first.life, STEP_MS, () -> step(first, generation));
  }

  private void missed(Child child, long generation) {
    if (child.isIn(generation) && !child.formed) {
      child.suspect(absent(child), "it did not come");
    }
  }

  private String absent(Child child) {
    for (Member member : child.form.members()) {
      Child other = children.get(member.node());
      if (other == null || !other.isIn(child.generation) || !reaches.test(child.node, other.node)) {
        return member.node();
      }
    }
    return child.form.members().get(0).node();
  }

  private void step(Child first, long generation) {
    if (first.generation != generation) {
      return;
    }
    List<Child> all = together(generation, first.form.members());
    if (all.isEmpty()) {
      for (Member member : first.form.members()) {
        Child child = children.get(member.node());
        if (child != null && child.isIn(generation)) {
          child.suspect(absent(child), "it is out of reach");
        }
      }
      return;
    }
    long next = first.step + 1;
    commit(generation, next);
    for (Child child : all) {
      if (child == first) {
        made(child, generation, next);
      } else {
        // The first member has the step before the others hear of it, and may save it meanwhile.
        scheduler.afterMs(child.life, chance.below(300), () -> made(child, generation, next));
      }
    }
    if (next % SAVE_EVERY == 0 || next >= total) {
      first.report(new Report.Saved(next, "REPLICATED", ""));
      scheduler.afterMs(first.life, chance.between(50, 800), () -> save(first, next));
    }
    if (next >= total) {
      scheduler.afterMs(first.life, 1_000, () -> finish(generation));
    } else {
      all.forEach(this::trouble);
      if (bounded && faults.happens(chance, faults.deadlock)) {
        all.forEach(child -> child.hangs = true);
      }
      scheduler.afterMs(first.life, STEP_MS, () -> step(first, generation));
      // The others notice when the first one is gone.
      for (Child child : all) {
        scheduler.afterMs(child.life, 4 * STEP_MS, () -> watch(child, generation, next));
      }
    }
  }

  private void made(Child child, long generation, long step) {
    if (child.works() && child.generation == generation && child.step < step) {
      child.step = step;
      child.report(new Report.Step(generation, step, step * 10, 1.0 / step, 0, 0, 0, 0));
    }
  }

  private void watch(Child child, long generation, long step) {
    if (child.isIn(generation) && child.step <= step && !child.finished) {
      child.suspect(absent(child), "no step came");
    }
  }

  /** A member of an older generation is refused once one of a newer generation has saved. */
  private void save(Child child, long step) {
    if (child.generation < savedIn) {
      child.report(new Report.Saved(step, "FAILED", "a newer generation saves"));
      return;
    }
    savedIn = child.generation;
    durable = Math.max(durable, step);
    child.report(new Report.Saved(step, "DURABLE", ""));
  }

  private void finish(long generation) {
    for (Child child : List.copyOf(children.values())) {
      if (child.generation == generation && child.step >= total) {
        child.finished = true;
        child.report(new Report.Finished(child.step, child.step * 10, 0.1));
      }
    }
  }

  // --- Commands ---

  /** Starts a command in its generation. */
  void begin(Child child, long generation, List<Member> members) {
    for (Member member : members) {
      Child other = children.get(member.node());
      if (other != null && other != child && other.generation < generation) {
        throw new AssertionError(
            "A command of generation %d starts while one of %d runs on %s."
                .formatted(generation, other.generation, member.node()));
      }
    }
    child.generation = generation;
    child.form = new Order.Form(generation, 0, members);
  }

  private void work(Child child) {
    List<Child> all = together(child.generation, child.form.members());
    if (!all.isEmpty()) {
      // A command that waits for another prints nothing.
      child.owner.wrote(child.process);
    }
    if (commandSteps >= total) {
      child.end(0, "");
      return;
    }
    boolean first = child.form.members().get(0).node().equals(child.node);
    if (!all.isEmpty() && first) {
      commandSteps++;
      commits++;
    }
    boolean alone =
        child.form.members().stream().anyMatch(member -> !children.containsKey(member.node()));
    boolean started = commits > 0;
    if (alone && started && chance.hits(0.3)) {
      child.end(1, "a peer is gone");
      return;
    }
    trouble(child);
    scheduler.afterMs(child.life, STEP_MS, () -> work(child));
  }
}
