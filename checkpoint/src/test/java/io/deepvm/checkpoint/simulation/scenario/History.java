package io.deepvm.checkpoint.simulation.scenario;

import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.simulation.Machine;
import io.deepvm.checkpoint.simulation.SimulatedProcess;
import io.deepvm.checkpoint.simulation.World;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What was saved, what was reported safe, and what was restored: the checker. */
final class History {

  private final World world;
  private final Plan plan;
  private final Map<Long, String> owners = new HashMap<>();
  private long newest;
  private int powerLosses;
  private final Map<Version, byte[]> staged = new HashMap<>();

  /** Versions that were saved when a newer generation had begun. */
  private final Set<Version> late = new TreeSet<>();

  /** Versions that some session has listed. */
  private final Set<Version> seen = new TreeSet<>();

  /** What the store held, or had held, when a generation had begun. */
  private final Map<Long, Set<Version>> lists = new TreeMap<>();

  private final TreeSet<Version> safe = new TreeSet<>();

  History(World world, Plan plan) {
    this.world = world;
    this.plan = plan;
  }

  /** A session has begun with a generation, which nobody else may have. */
  void begun(SimulatedProcess process, long generation) {
    world.count(World.Count.SESSIONS);
    world.event(process.name(), "begins generation " + generation);
    newest = Math.max(newest, generation);
    String other = owners.putIfAbsent(generation, process.name());
    if (other != null) {
      world.problem(
          "Generation %d is held by %s and by %s.".formatted(generation, other, process.name()));
    }
  }

  void saves(SimulatedProcess process, Version version, byte[] state) {
    world.count(World.Count.SAVES);
    world.event(process.name(), "saves step " + version.step() + " of " + version.generation());
    if (newest > version.generation()) {
      late.add(version);
    }
    if (staged.putIfAbsent(version, state) != null) {
      world.problem("%s is saved twice.".formatted(version));
    }
  }

  /** A ticket has changed; its state may only rise. */
  void changed(SimulatedProcess process, Ticket ticket, TicketState before, TicketState now) {
    if (process.isDead()) {
      return;
    }
    world.event(process.name(), ticket.version() + " is " + now + " " + ticket.reasons());
    boolean allowed =
        switch (before) {
          case STAGED -> true;
          case REPLICATED -> now == TicketState.DURABLE || now == TicketState.ARCHIVED;
          case DURABLE -> now == TicketState.ARCHIVED;
          case ARCHIVED, SKIPPED, FAILED -> false;
        };
    if (!allowed) {
      world.problem("%s was %s and became %s.".formatted(ticket.version(), before, now));
    }
    if (now == TicketState.DURABLE || now == TicketState.ARCHIVED) {
      world.count(World.Count.ACKNOWLEDGED);
      safe.add(ticket.version());
      if (late.contains(ticket.version()) && mustSeeNewer()) {
        world.problem(
            "%s was saved after a newer generation had begun, and is safe all the same."
                .formatted(ticket.version()));
      }
    }
  }

  /** An engine has closed: each of its saves must have ended. */
  void ended(List<Ticket> tickets) {
    for (Ticket ticket : tickets) {
      if (!ticket.settled()) {
        world.problem("%s has no outcome after its engine was closed.".formatted(ticket));
      } else if (ticket.state() == TicketState.STAGED) {
        world.problem("%s is settled and neither safe nor given up.".formatted(ticket));
      }
    }
  }

  /**
   * Whether a session that was taken over can no longer save. A store that lists late shows a newer
   * generation late, too, and anchors that the newer session does not reach never do. Nothing is
   * lost by that.
   */
  private boolean mustSeeNewer() {
    return !world.faults().listsLate() && !plan.canBeSplit();
  }

  /** A session has listed the store after it had begun: no older version may come later. */
  void listed(long generation, Set<Version> versions) {
    checkFences(versions);
    // what was safe by now may have been deleted by now, too, and another session is still listing
    Set<Version> known = new TreeSet<>(safe);
    known.addAll(versions);
    known.addAll(seen);
    seen.addAll(versions);
    lists.put(generation, known);
  }

  /** Checks that what is there now was there when a newer generation looked. */
  private void checkFences(Set<Version> versions) {
    if (!mustSeeNewer()) {
      return;
    }
    if (powerLosses != world.powerLosses()) {
      // a deletion that was not synced is undone by a power loss
      lists.clear();
      powerLosses = world.powerLosses();
    }
    for (Version version : versions) {
      // an object store has no locks: a session may die between its manifest and its second look
      if (plan.kind() == Plan.StoreKind.OBJECTS && !safe.contains(version)) {
        continue;
      }
      for (Map.Entry<Long, Set<Version>> list : lists.entrySet()) {
        if (version.generation() < list.getKey() && !list.getValue().contains(version)) {
          world.problem(
              "%s was not there when generation %d had begun, and came later."
                  .formatted(version, list.getKey()));
        }
      }
    }
  }

  void restored(String who, Version version, byte[] state) {
    world.count(World.Count.RESTORES);
    world.event(who, "restored " + version);
    byte[] expected = staged.get(version);
    if (expected == null) {
      world.problem("%s was restored and never saved.".formatted(version));
    } else if (!Arrays.equals(expected, state)) {
      world.problem("%s was restored with other bits than were saved.".formatted(version));
    }
  }

  boolean isSafe(Version version) {
    return safe.contains(version);
  }

  /** Checks at the end that what was reported safe is there, or that newer ones took its place. */
  void check(Set<Version> restorable, List<Machine> machines) {
    checkFences(restorable);
    Set<String> rotten = new TreeSet<>();
    machines.forEach(machine -> rotten.addAll(machine.disk().rotten()));
    for (Version version : safe) {
      if (restorable.contains(version) || rotten.contains(version.folder())) {
        continue;
      }
      long newer = restorable.stream().filter(other -> other.compareTo(version) > 0).count();
      long maybe = rotten.stream().filter(other -> isNewer(other, version)).count();
      if (newer + maybe < plan.retention().last()) {
        world.problem(
            "%s was reported safe and is lost; there are %s.".formatted(version, restorable));
      }
    }
  }

  private static boolean isNewer(String folder, Version version) {
    Version other = Version.ofFolder(version.job(), folder);
    return other != null && other.compareTo(version) > 0;
  }
}
