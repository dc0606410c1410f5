package io.deepvm.checkpoint.tier;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Several tiers, such as anchors, that share the shards of each checkpoint: neighbouring shards go
 * to one member, each shard to this many members. A member that fails is passed over from the next
 * attempt on, until it has worked again. With too few members left, a reserve takes their place;
 * without one, what is left has to do, down to a single member, and a warning is logged.
 */
public final class SpreadTier implements Tier {

  private final String name;
  private final Level level;
  private final SpreadMembers members;

  /** Spreads over the members, keeping each shard on this many of them. */
  public SpreadTier(String name, Level level, List<Tier> members, int copies) {
    this(name, level, members, copies, null);
  }

  /**
   * Spreads over the members, keeping each shard on this many of them.
   *
   * @param reserve takes a shard when too few members can, and then counts for all copies
   */
  public SpreadTier(
      String name, Level level, List<Tier> members, int copies, @Nullable Tier reserve) {
    if (copies < 1 || copies > members.size()) {
      throw new BadInput(
          "%d copies cannot be kept on %d members.".formatted(copies, members.size()),
          "Maybe give as many members as copies.");
    }
    this.name = name;
    this.level = level;
    this.members = new SpreadMembers(members, reserve, copies);
  }

  /**
   * Returns the member for a shard: each gets equally many in a row, the first ones one more where
   * it does not come out even.
   */
  public static int home(int shard, int shards, int members) {
    long quotient = shards / members;
    long rest = shards % members;
    long front = rest * (quotient + 1);
    return (int)
        (shard < front ? shard / (quotient + 1) : rest + (shard - front) / Math.max(1, quotient));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Level level() {
    return level;
  }

  @Override
  public long generation(String job) throws IOException {
    long[] newest = {0};
    members.atEach(member -> newest[0] = Math.max(newest[0], member.generation(job)));
    return newest[0];
  }

  /** Claims at every member that can be reached; the others are asked when they are written to. */
  @Override
  public void claim(String job, Claim claim) throws IOException {
    members.atEach(member -> member.claim(job, claim));
  }

  @Override
  public int places() {
    return members.all().stream().mapToInt(Tier::places).sum();
  }

  /** Counts places in the order of the members' names, as not all sessions list them alike. */
  @Override
  public Set<Integer> claimAtEach(String job, Claim claim) throws IOException {
    Map<Tier, Integer> firsts = new HashMap<>();
    int first = 0;
    for (Tier member : members.byName()) {
      firsts.put(member, first);
      first += member.places();
    }
    Set<Integer> taken = new HashSet<>();
    members.atEach(
        member -> {
          for (int place : member.claimAtEach(job, claim)) {
            taken.add(firsts.getOrDefault(member, 0) + place);
          }
        });
    return taken;
  }

  @Override
  public CheckpointWriter write(Version version, UUID owner) throws IOException {
    return new SpreadWriter(name, members, version, owner);
  }

  @Override
  public CheckpointReader read(Version version) throws IOException {
    Map<Tier, CheckpointReader> readers = new LinkedHashMap<>();
    members.atEach(
        member -> {
          try {
            readers.put(member, member.read(version));
          } catch (NoSuchFileException e) {
            // this member has no part in it
          }
        });
    if (readers.isEmpty()) {
      throw new NoSuchFileException(version.toString());
    }
    return new SpreadReader(List.copyOf(readers.values()));
  }

  @Override
  public List<Holding> list(String job) throws IOException {
    Map<Version, List<Holding>> byVersion = new HashMap<>();
    members.atEach(
        member -> {
          for (Holding holding : member.list(job)) {
            byVersion.computeIfAbsent(holding.version(), v -> new ArrayList<>()).add(holding);
          }
        });
    List<Holding> merged = new ArrayList<>();
    byVersion.forEach((version, holdings) -> merged.add(Holding.together(version, holdings)));
    return merged;
  }

  @Override
  public List<String> unreachable() {
    return members.unreachable();
  }

  @Override
  public boolean delete(Version version) throws IOException {
    return delete(member -> member.delete(version));
  }

  @Override
  public boolean delete(Version version, Claim claim) throws IOException {
    return delete(member -> member.delete(version, claim));
  }

  private boolean delete(Deletion deletion) throws IOException {
    boolean[] gone = {true};
    members.atEach(member -> gone[0] &= deletion.at(member));
    return gone[0];
  }

  @Override
  public boolean checksOnArrival() {
    return members.all().stream().allMatch(Tier::checksOnArrival);
  }

  private interface Deletion {
    boolean at(Tier member) throws IOException;
  }

  @Override
  public void close() throws IOException {
    for (Tier member : members.all()) {
      member.close();
    }
  }
}
