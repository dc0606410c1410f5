package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder of one version. Files that no tier writes are not looked at and stay. */
record VersionFolder(Version version, Path path) {

  private static final System.Logger LOG = System.getLogger(VersionFolder.class.getName());

  /** Returns the folders of all versions of a job, which are in the job's folder. */
  static List<VersionFolder> all(String job, Path folder) throws IOException {
    StoreFiles.checkNoLink(folder);
    List<VersionFolder> versions = new ArrayList<>();
    try (Stream<Path> children = Files.list(folder)) {
      for (Path child : (Iterable<Path>) children.filter(StoreFiles::isFolder)::iterator) {
        Version version = Version.ofFolder(job, child.getFileName().toString());
        if (version != null) {
          versions.add(new VersionFolder(version, child));
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    }
    return versions;
  }

  Path manifestFile() {
    return path.resolve(Manifest.FILE);
  }

  /** Throws when the version is committed: what it consists of must not change any more. */
  void checkOpen() throws IOException {
    if (StoreFiles.exists(manifestFile())) {
      keep();
      throw new FileAlreadyExistsException(path.toString(), null, "it is committed");
    }
  }

  /**
   * Sees to it that the manifest stays: the process that committed may have died before it synced,
   * and a session whose answer was lost takes the manifest for its own commit.
   */
  void keep() throws IOException {
    StoreFiles.sync(path);
  }

  /**
   * Sees to it that the version stays if it is committed. A dead process may not have synced the
   * manifest's name, and retention would count the version.
   */
  void keepCommitted() throws IOException {
    try {
      if (StoreFiles.exists(manifestFile())) {
        keep();
      }
    } catch (NoSuchFileException e) {
      // deleted while we looked
    }
  }

  Manifest manifest() throws IOException {
    Manifest manifest = Manifest.parse(StoreFiles.read(manifestFile(), Manifest.MAX_BYTES));
    if (!manifest.version().equals(version)) {
      throw new CorruptCheckpoint(
          "%s is that of %s.".formatted(manifestFile(), manifest.version()));
    }
    return manifest;
  }

  private List<Path> children() throws IOException {
    try (Stream<Path> children = Files.list(path)) {
      return children.toList();
    }
  }

  /** Returns whether a tier writes files of this name. */
  private static boolean isOurs(String file) {
    if (file.equals(Manifest.FILE) || file.equals(FolderLocks.FILE) || ShardName.isName(file)) {
      return true;
    }
    int end = file.indexOf(".safetensors.");
    return StoreFiles.isPart(file, Manifest.FILE)
        || (end >= 0
            && ShardName.isName(file.substring(0, end) + ".safetensors")
            && StoreFiles.isPart(file, file.substring(0, end) + ".safetensors"));
  }

  /** Returns what is here; null when there is nothing but what others put here. */
  @Nullable Holding holding() throws IOException {
    Map<String, Long> sizes = new HashMap<>();
    boolean committed = false;
    boolean strange = false;
    boolean ours = false;
    long bytes = 0;
    for (Path child : children()) {
      String file = child.getFileName().toString();
      BasicFileAttributes attributes;
      try {
        attributes =
            Files.readAttributes(child, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      } catch (NoSuchFileException e) {
        // another writer has given its part the final name just now
        continue;
      }
      if (!attributes.isRegularFile() || !isOurs(file)) {
        strange = true;
        continue;
      }
      ours = true;
      bytes += attributes.size();
      committed |= file.equals(Manifest.FILE);
      if (ShardName.isName(file)) {
        sizes.put(file, attributes.size());
      }
    }
    if (strange && !ours) {
      return null;
    }
    if (!committed) {
      return new Holding(version, Holding.Condition.UNCOMMITTED, sizes.keySet(), Set.of(), bytes);
    }
    return committed(sizes, bytes);
  }

  private Holding committed(Map<String, Long> sizes, long bytes) throws IOException {
    Set<String> missing = new HashSet<>();
    Holding.Condition condition = Holding.Condition.COMMITTED;
    try {
      for (Shard shard : manifest().shards()) {
        Long size = sizes.get(shard.name());
        if (size == null) {
          missing.add(shard.name());
        } else if (size != shard.bytes()) {
          condition = Holding.Condition.DAMAGED;
        }
      }
    } catch (CorruptCheckpoint e) {
      condition = Holding.Condition.DAMAGED;
    }
    return new Holding(version, condition, sizes.keySet(), missing, bytes);
  }

  /** Throws unless the shards that should be here are, each with the size in the manifest. */
  void checkShards(Manifest manifest, Set<String> held) throws IOException {
    for (Shard shard : manifest.shards()) {
      Path file = path.resolve(shard.name());
      if (held.contains(shard.name())
          && (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
              || Files.size(file) != shard.bytes())) {
        throw new IOException("%s of %s is not there in full.".formatted(shard.name(), version));
      }
    }
  }

  /** Deletes the manifest, so that the version does not exist any more whatever crashes. */
  void deleteManifest() throws IOException {
    if (Files.deleteIfExists(manifestFile())) {
      StoreFiles.sync(path);
    }
  }

  /** Deletes the other files that a tier writes, and the folder unless something else is in it. */
  void deleteRest() throws IOException {
    for (Path child : children()) {
      if (isOurs(child.getFileName().toString())
          && !Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
        Files.deleteIfExists(child);
      }
    }
    try {
      Files.deleteIfExists(path);
    } catch (DirectoryNotEmptyException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} stays, as it holds files that are not of a checkpoint.",
          path);
    }
  }
}
