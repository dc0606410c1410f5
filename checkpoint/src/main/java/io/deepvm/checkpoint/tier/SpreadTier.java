package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Several tiers, such as anchors, that share the shards of each checkpoint: neighbouring shards go
 * to one member, each shard to so many members. A member that fails is passed over from the next
 * attempt on, until it has worked again. With too few members left, a reserve takes their place;
 * without one, what is left has to do, down to a single member, and a warning is logged.
 */
public final class SpreadTier implements Tier {

  private static final System.Logger LOG = System.getLogger(SpreadTier.class.getName());

  private final String name;
  private final Level level;
  private final List<Tier> members;
  private final int regular;
  private final int copies;
  private final Set<Tier> suspects = ConcurrentHashMap.newKeySet();

  /** Spreads over the members, keeping each shard on so many of them. */
  public SpreadTier(String name, Level level, List<Tier> members, int copies) {
    this(name, level, members, copies, null);
  }

  /**
   * Spreads over the members, keeping each shard on so many of them.
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
    List<Tier> all = new ArrayList<>(members);
    if (reserve != null) {
      all.add(reserve);
    }
    this.members = List.copyOf(all);
    this.regular = members.size();
    this.copies = copies;
  }

  private boolean isReserve(Tier member) {
    return members.indexOf(member) >= regular;
  }

  /** Returns how many copies are to be had now: those asked for, or all members not in doubt. */
  int attainable() {
    if (members.size() > regular) {
      return copies;
    }
    long trusted = members.stream().filter(member -> !suspects.contains(member)).count();
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

  /** Does something at every member that can be reached; fails when none can. */
  private void atEach(Step step) throws IOException {
    IOException last = null;
    int reached = 0;
    for (Tier member : members) {
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

  private interface Step {
    void run(Tier member) throws IOException;
  }

  @Override
  public long generation(String job) throws IOException {
    long[] newest = {0};
    atEach(member -> newest[0] = Math.max(newest[0], member.generation(job)));
    return newest[0];
  }

  /** Claims at every member that can be reached; the others are asked when they are written to. */
  @Override
  public void claim(String job, Claim claim) throws IOException {
    atEach(member -> member.claim(job, claim));
  }

  @Override
  public CheckpointWriter write(Version version, UUID owner) throws IOException {
    return new Writer(version, owner);
  }

  @Override
  public CheckpointReader read(Version version) throws IOException {
    Map<Tier, CheckpointReader> readers = new LinkedHashMap<>();
    atEach(
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
    atEach(
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
    // the reserve has only what these could not take
    return members.subList(0, regular).stream()
        .flatMap(
            member ->
                suspects.contains(member)
                    ? Stream.of(member.name())
                    : member.unreachable().stream())
        .toList();
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
    atEach(member -> gone[0] &= deletion.at(member));
    return gone[0];
  }

  @Override
  public boolean checksOnArrival() {
    return members.stream().allMatch(Tier::checksOnArrival);
  }

  private interface Deletion {
    boolean at(Tier member) throws IOException;
  }

  @Override
  public void close() throws IOException {
    for (Tier member : members) {
      member.close();
    }
  }

  private final class Writer implements CheckpointWriter {

    private final Version version;
    private final UUID owner;
    private final Map<Tier, CheckpointWriter> writers = new HashMap<>();

    /** Members that an earlier attempt got through to; the others may still lack their copies. */
    private final Set<Tier> committed = new HashSet<>();

    Writer(Version version, UUID owner) {
      this.version = version;
      this.owner = owner;
    }

    private CheckpointWriter at(Tier member) throws IOException {
      CheckpointWriter writer = writers.get(member);
      if (writer == null) {
        writer = member.write(version, owner);
        writers.put(member, writer);
      }
      return writer;
    }

    @Override
    public ShardWriter shard(String shard, long bytes) throws IOException {
      ShardName place = ShardName.parse(shard);
      int home = home(place.index(), place.count(), regular);
      List<Tier> order = new ArrayList<>();
      for (int i = 0; i < regular; i++) {
        order.add(members.get((home + i) % regular));
      }
      // a stable sort: those in doubt come last, the order stays otherwise
      order.sort((a, b) -> Boolean.compare(suspects.contains(a), suspects.contains(b)));
      Map<Tier, ShardWriter> copiesOfShard = new LinkedHashMap<>();
      FileAlreadyExistsException exists = null;
      IOException last = null;
      int done = 0;
      for (Tier member : order) {
        boolean avoidable = members.size() > regular && suspects.contains(member);
        if (copiesOfShard.size() + done == copies || avoidable) {
          break;
        }
        try {
          copiesOfShard.put(member, at(member).shard(shard, bytes));
        } catch (StaleGeneration e) {
          throw e;
        } catch (FileAlreadyExistsException e) {
          committed.add(member);
          done++;
          exists = e;
        } catch (IOException e) {
          suspects.add(member);
          last = e;
        }
      }
      if (exists != null && copiesOfShard.isEmpty() && done >= attainable()) {
        throw exists;
      }
      if (copiesOfShard.size() + done < copies && members.size() > regular) {
        Tier reserve = members.get(regular);
        copiesOfShard.put(reserve, at(reserve).shard(shard, bytes));
      } else if (copiesOfShard.isEmpty() && last != null) {
        throw last;
      }
      return new SpreadShard(SpreadTier.this, copiesOfShard);
    }

    @Override
    public Set<String> sealed() throws IOException {
      Set<String> sealed = new HashSet<>();
      for (Tier member : members) {
        sealed.addAll(sealed(member));
      }
      return sealed;
    }

    private Set<String> sealed(Tier member) throws StaleGeneration {
      try {
        if (!committed.contains(member)) {
          return at(member).sealed();
        }
        for (Holding holding : member.list(version.job())) {
          if (holding.version().equals(version)) {
            return holding.shards();
          }
        }
        return Set.of();
      } catch (FileAlreadyExistsException e) {
        committed.add(member);
        return sealed(member);
      } catch (StaleGeneration e) {
        throw e;
      } catch (IOException e) {
        suspects.add(member);
        return Set.of();
      }
    }

    /**
     * Commits at every member what it holds; what counts is that each shard is kept often enough.
     */
    @Override
    public void commit(Manifest manifest, Set<String> held) throws IOException {
      Map<Tier, Set<String>> holders = new LinkedHashMap<>();
      for (Tier member : members) {
        Set<String> here = new HashSet<>(sealed(member));
        here.retainAll(held);
        if (!here.isEmpty()) {
          holders.put(member, here);
        }
      }
      // before any member commits, since nothing is added to what is committed
      checkKept(held, holders, null);
      IOException last = null;
      for (Tier member : List.copyOf(holders.keySet())) {
        try {
          if (committed.contains(member)) {
            checkSame(member, manifest);
          } else {
            at(member).commit(manifest, holders.getOrDefault(member, Set.of()));
          }
        } catch (StaleGeneration | FileAlreadyExistsException e) {
          throw e;
        } catch (IOException e) {
          suspects.add(member);
          holders.remove(member);
          last = e;
        }
      }
      int least = checkKept(held, holders, last);
      if (least < copies) {
        LOG.log(
            System.Logger.Level.WARNING,
            "The tier {0} keeps {1} with {2} of {3} copies: not to be reached are {4}.",
            name,
            version,
            least,
            copies,
            unreachable());
      }
    }

    /** Returns how often the shard with the fewest copies is kept, if that is often enough. */
    private int checkKept(
        Set<String> held, Map<Tier, Set<String>> holders, @Nullable IOException last)
        throws IOException {
      Map<String, Integer> kept = new HashMap<>();
      holders.forEach(
          (member, here) ->
              here.forEach(
                  shard -> kept.merge(shard, isReserve(member) ? copies : 1, Integer::sum)));
      int least = copies;
      for (String shard : held) {
        int count = kept.getOrDefault(shard, 0);
        least = Math.min(least, count);
        if (count < attainable()) {
          throw new IOException(
              "%s of %s is kept %d times, not %d.".formatted(shard, version, count, copies), last);
        }
      }
      return least;
    }

    /** Throws unless what a member has committed is what this commit is about. */
    private void checkSame(Tier member, Manifest manifest) throws IOException {
      try (CheckpointReader reader = member.read(version)) {
        if (!reader.manifest().isSameSave(manifest)) {
          throw new FileAlreadyExistsException(
              version.toString(), null, "%s has another one".formatted(member.name()));
        }
      }
    }

    @Override
    public void close() {
      writers.forEach(
          (member, writer) -> {
            try {
              writer.close();
            } catch (IOException e) {
              // what is committed stays so, whoever cannot tidy up
              suspects.add(member);
            }
          });
      writers.clear();
    }
  }
}
