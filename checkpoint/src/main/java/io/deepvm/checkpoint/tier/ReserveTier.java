package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A store that is a tier of its own, lent as a reserve: it takes what the others cannot and gives
 * it back. It is not touched before, since it may be slow. What it keeps besides is not listed and
 * not deleted through here, as it is none of the others' business.
 */
final class ReserveTier implements Tier {

  private final Tier store;

  /** By job, what the store is to be told before it is first written to. */
  private final Map<String, Long> unannounced = new ConcurrentHashMap<>();

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
  public void fence(String job, long generation) {
    unannounced.merge(job, generation, Math::max);
  }

  private void announce(String job) throws IOException {
    Long generation = unannounced.get(job);
    if (generation != null) {
      store.fence(job, generation);
      unannounced.remove(job, generation);
    }
  }

  @Override
  public CheckpointWriter write(Version version) {
    return new Writer(version);
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
    private @Nullable CheckpointWriter writer;

    Writer(Version version) {
      this.version = version;
    }

    private CheckpointWriter opened() throws IOException {
      CheckpointWriter known = writer;
      if (known == null) {
        announce(version.job());
        known = store.write(version);
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
