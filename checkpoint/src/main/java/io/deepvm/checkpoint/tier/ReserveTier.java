package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A store that is a tier of its own, lent as a reserve: it takes what the others cannot and gives
 * it back. It is not touched before, since it may be slow. What it keeps besides is not listed and
 * not deleted through here, as it is none of the others' business.
 */
final class ReserveTier implements Tier {

  private final Tier store;

  ReserveTier(Tier store) {
    this.store = store;
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public Level level() {
    return store.level();
  }

  @Override
  public long generation(String job) throws IOException {
    return store.generation(job);
  }

  @Override
  public void claim(String job, Claim claim) {
    // the store is asked when it is first written to
  }

  @Override
  public int places() {
    return 0;
  }

  @Override
  public Set<Integer> claimAtEach(String job, Claim claim) {
    return Set.of();
  }

  @Override
  public CheckpointWriter write(Version version, UUID owner) {
    return new Writer(version, owner);
  }

  @Override
  public CheckpointReader read(Version version) throws IOException {
    return store.read(version);
  }

  @Override
  public List<Holding> list(String job) throws IOException {
    // an empty list would say that nothing was saved, when those that know do not answer
    throw noAnswer();
  }

  @Override
  public boolean delete(Version version) throws IOException {
    throw noAnswer();
  }

  @Override
  public boolean delete(Version version, Claim claim) throws IOException {
    throw noAnswer();
  }

  private IOException noAnswer() {
    return new IOException("None of those that %s stands in for answers.".formatted(name()));
  }

  @Override
  public void close() {
    // the store is closed by its owner
  }

  /** Opens the store when the first shard comes. */
  private final class Writer implements CheckpointWriter {

    private final Version version;
    private final UUID owner;
    private @Nullable CheckpointWriter writer;

    Writer(Version version, UUID owner) {
      this.version = version;
      this.owner = owner;
    }

    private CheckpointWriter opened() throws IOException {
      CheckpointWriter known = writer;
      if (known == null) {
        known = store.write(version, owner);
        writer = known;
      }
      return known;
    }

    @Override
    public ShardWriter shard(String name, long bytes) throws IOException {
      return opened().shard(name, bytes);
    }

    @Override
    public Set<String> sealed() throws IOException {
      CheckpointWriter known = writer;
      return known == null ? Set.of() : known.sealed();
    }

    @Override
    public void commit(Manifest manifest, Set<String> held) throws IOException {
      opened().commit(manifest, held);
    }

    @Override
    public void close() throws IOException {
      CheckpointWriter known = writer;
      if (known != null) {
        known.close();
      }
    }
  }
}
