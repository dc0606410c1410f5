package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.ShardName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The members of a {@link SpreadTier}, and which of them failed last. */
final class SpreadMembers {

  /** Does something at a member. */
  interface Step {
    void run(Tier member) throws IOException;
  }

  private final List<Tier> regular;
  private final @Nullable Tier reserve;
  private final List<Tier> all;
  private final int copies;
  private final Set<Tier> suspects = ConcurrentHashMap.newKeySet();

  SpreadMembers(List<Tier> regular, @Nullable Tier reserve, int copies) {
    this.regular = List.copyOf(regular);
    this.reserve = reserve;
    this.copies = copies;
    List<Tier> together = new ArrayList<>(regular);
    if (reserve != null) {
      together.add(reserve);
    }
    this.all = List.copyOf(together);
  }

  /** Returns the regular members and the reserve. */
  List<Tier> all() {
    return all;
  }

  /** Returns the regular members and the reserve in the order of their names. */
  List<Tier> byName() {
    return all.stream().sorted(Comparator.comparing(Tier::name)).toList();
  }

  /** Returns the tier that takes a shard when too few members can; null when there is none. */
  @Nullable Tier reserve() {
    return reserve;
  }

  /** Returns how many copies are wanted. */
  int copies() {
    return copies;
  }

  /** Returns how many copies can be had now: those wanted, or all members not in doubt. */
  int attainable() {
    if (reserve != null) {
      return copies;
    }
    long trusted = regular.stream().filter(member -> !isDoubted(member)).count();
    return (int) Math.max(1, Math.min(copies, trusted));
  }

  /** Passes a member over from now on, until it has worked again. */
  void doubt(Tier member) {
    suspects.add(member);
  }

  /** Takes note that members have worked. */
  void trust(Set<Tier> worked) {
    suspects.removeAll(worked);
  }

  boolean isDoubted(Tier member) {
    return suspects.contains(member);
  }

  /** Returns the regular members in the order in which they should take a shard. */
  List<Tier> order(ShardName shard) {
    int home = SpreadTier.home(shard.index(), shard.count(), regular.size());
    List<Tier> order = new ArrayList<>();
    for (int i = 0; i < regular.size(); i++) {
      order.add(regular.get((home + i) % regular.size()));
    }
    // a stable sort: those in doubt come last, the order stays otherwise
    order.sort((a, b) -> Boolean.compare(isDoubted(a), isDoubted(b)));
    return order;
  }

  /** Does something at every member that can be reached; fails when none can. */
  void atEach(Step step) throws IOException {
    IOException last = null;
    int reached = 0;
    for (Tier member : all) {
      try {
        step.run(member);
        reached++;
        suspects.remove(member);
      } catch (StaleGeneration e) {
        throw e;
      } catch (IOException e) {
        suspects.add(member);
        last = e;
      }
    }
    if (reached == 0 && last != null) {
      throw last;
    }
  }

  /** Returns the names of the places that do not answer; the reserve does not count. */
  List<String> unreachable() {
    return regular.stream()
        .flatMap(
            member -> isDoubted(member) ? Stream.of(member.name()) : member.unreachable().stream())
        .toList();
  }
}
