package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes one version to several members, each shard to as many as there shall be copies. */
final class SpreadWriter implements CheckpointWriter {

  private static final System.Logger LOG = System.getLogger(SpreadWriter.class.getName());

  private final String tier;
  private final SpreadMembers members;
  private final Version version;
  private final UUID owner;
  private final Map<Tier, CheckpointWriter> writers = new HashMap<>();

  /** Members that an earlier attempt got through to; the others may still lack their copies. */
  private final Set<Tier> committed = new HashSet<>();

  /** Writes into the tier of this name. */
  SpreadWriter(String tier, SpreadMembers members, Version version, UUID owner) {
    this.tier = tier;
    this.members = members;
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
    int copies = members.copies();
    Tier reserve = members.reserve();
    Map<Tier, ShardWriter> copiesOfShard = new LinkedHashMap<>();
    FileAlreadyExistsException exists = null;
    IOException last = null;
    int done = 0;
    for (Tier member : members.order(place)) {
      boolean avoidable = reserve != null && members.isDoubted(member);
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
        members.doubt(member);
        last = e;
      }
    }
    if (exists != null && copiesOfShard.isEmpty() && done >= members.attainable()) {
      throw exists;
    }
    if (copiesOfShard.size() + done < copies && reserve != null) {
      copiesOfShard.put(reserve, at(reserve).shard(shard, bytes));
    } else if (copiesOfShard.isEmpty() && last != null) {
      throw last;
    }
    return new SpreadShard(members, copiesOfShard);
  }

  @Override
  public Set<String> sealed() throws IOException {
    Set<String> sealed = new HashSet<>();
    for (Tier member : members.all()) {
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
      members.doubt(member);
      return Set.of();
    }
  }

  /** Commits at every member what it holds; what counts is that each shard is kept often enough. */
  @Override
  public void commit(Manifest manifest, Set<String> held) throws IOException {
    Map<Tier, Set<String>> holders = new LinkedHashMap<>();
    for (Tier member : members.all()) {
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
        members.doubt(member);
        holders.remove(member);
        last = e;
      }
    }
    int least = checkKept(held, holders, last);
    if (least < members.copies()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "The tier {0} keeps {1} with {2} of {3} copies: not to be reached are {4}.",
          tier,
          version,
          least,
          members.copies(),
          members.unreachable());
    }
  }

  /** Returns how often the shard with the fewest copies is kept, if that is often enough. */
  private int checkKept(
      Set<String> held, Map<Tier, Set<String>> holders, @Nullable IOException last)
      throws IOException {
    int copies = members.copies();
    Map<String, Integer> kept = new HashMap<>();
    holders.forEach(
        (member, here) ->
            here.forEach(
                shard ->
                    kept.merge(shard, member == members.reserve() ? copies : 1, Integer::sum)));
    int least = copies;
    for (String shard : held) {
      int count = kept.getOrDefault(shard, 0);
      least = Math.min(least, count);
      if (count < members.attainable()) {
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
            // the version is committed, even if one member cannot tidy up
            members.doubt(member);
          }
        });
    writers.clear();
  }
}
