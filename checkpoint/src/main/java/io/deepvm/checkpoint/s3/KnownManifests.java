package io.deepvm.checkpoint.s3;

import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The contents of manifests that were read, so that listing need not fetch each every time. */
final class KnownManifests {

  /** Fetches the manifest of a version. */
  interface Source {
    Manifest read(Version version) throws IOException;
  }

  /** The shards of a manifest with this tag, and their sizes; null when it cannot be read. */
  private record Contents(String tag, @Nullable Map<String, Long> shards) {}

  private final Map<Version, Contents> known = new ConcurrentHashMap<>();
  private final Source source;

  KnownManifests(Source source) {
    this.source = source;
  }

  /** Returns the sizes of the shards of the manifest with this tag; null if it is damaged. */
  @Nullable Map<String, Long> shards(Version version, String tag) throws IOException {
    Contents contents = known.get(version);
    if (contents == null || !contents.tag.equals(tag)) {
      contents = new Contents(tag, read(version));
      known.put(version, contents);
    }
    return contents.shards;
  }

  private @Nullable Map<String, Long> read(Version version) throws IOException {
    try {
      Map<String, Long> shards = new HashMap<>();
      for (Shard shard : source.read(version).shards()) {
        shards.put(shard.name(), shard.bytes());
      }
      return shards;
    } catch (CorruptCheckpoint e) {
      return null;
    }
  }

  /** Forgets the versions of a job that are gone. */
  void keepOnly(String job, Set<Version> versions) {
    known.keySet().removeIf(version -> version.job().equals(job) && !versions.contains(version));
  }

  void forget(Version version) {
    known.remove(version);
  }
}
