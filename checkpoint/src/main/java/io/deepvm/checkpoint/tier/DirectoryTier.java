package io.deepvm.checkpoint.tier;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.Version;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints in a folder: {@code root/job/step-000000001200-g000003/}. A disk, or with {@link
 * Level#ARCHIVED} a folder that stands for an object store. Every file is written under a temporary
 * name, synced, renamed, and its folder synced. Links below the root are not followed.
 */
public final class DirectoryTier implements Tier {

  private static final String MUTEX = ".lock";

  private final String name;
  private final Level level;
  private final Path root;
  private final FaultPoints faults;

  /**
   * What this process itself wrote of broken-off shards; parts of a dead process are not trusted.
   */
  private final Map<Path, BrokenOff> parts = new ConcurrentHashMap<>();

  /** The folders of jobs that this process has seen to it stay. */
  private final Set<Path> lasting = ConcurrentHashMap.newKeySet();

  /** Bytes of a shard under a temporary name. */
  private record BrokenOff(Path part, long position) {}

  public DirectoryTier(String name, Level level, Path root, FaultPoints faults) {
    this.name = name;
    this.level = level;
    this.root = root;
    this.faults = faults;
  }

  public DirectoryTier(String name, Level level, Path root) {
    this(name, level, root, FaultPoints.NONE);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Level level() {
    return level;
  }

  /** Returns what is known of a job's newest generation. */
  public Fence fence(String job) throws IOException {
    StoreFiles.checkNoLink(folder(job));
    return new GenerationFile(job, folder(job)).read();
  }

  @Override
  public long generation(String job) throws IOException {
    return Math.max(0, fence(job).generation());
  }

  @Override
  public void claim(String job, Claim claim) throws IOException {
    Fence known = fence(job);
    known.check(job, claim);
    // most often it is ours already, and no lock is needed to see that
    if (!known.isHeldBy(claim)) {
      createJob(job);
      exclusively(job, () -> new GenerationFile(job, folder(job)).claim(claim));
      for (VersionFolder version : VersionFolder.all(job, folder(job))) {
        version.keepCommitted();
      }
    }
  }

  private void exclusively(String job, FolderLocks.Work work) throws IOException {
    FolderLocks.exclusively(folder(job).resolve(MUTEX), work);
  }

  @Override
  public CheckpointWriter write(Version version, UUID owner) throws IOException {
    Claim claim = new Claim(version.generation(), owner);
    claim(version.job(), claim);
    return open(version, claim);
  }

  /**
   * Begins a copy of a version that was committed elsewhere while its generation could. A newer one
   * claimed since does not stop it, as it counts as older than anything of that one.
   */
  public CheckpointWriter writeAccepted(Version version) throws IOException {
    return open(version, null);
  }

  private CheckpointWriter open(Version version, @Nullable Claim claim) throws IOException {
    VersionFolder folder = folder(version);
    Closeable use = create(folder);
    try {
      folder.checkOpen();
    } catch (IOException e) {
      use.close();
      throw e;
    }
    return new Writer(folder, use, claim);
  }

  /**
   * Creates the folder of a version, if need be again, should another process clean up just now.
   */
  private Closeable create(VersionFolder folder) throws IOException {
    for (int attempt = 1; ; attempt++) {
      createJob(folder.version().job());
      StoreFiles.createFolder(folder.path());
      try {
        return FolderLocks.use(folder.path());
      } catch (NoSuchFileException e) {
        if (attempt == 10) {
          throw e;
        }
      }
    }
  }

  private void createJob(String job) throws IOException {
    Path folder = folder(job);
    if (!lasting.contains(folder) || !StoreFiles.isFolder(folder)) {
      StoreFiles.createRoot(root);
      StoreFiles.createFolder(folder);
      lasting.add(folder);
    }
  }

  @Override
  public CheckpointReader read(Version version) throws IOException {
    VersionFolder folder = found(version);
    Closeable use = FolderLocks.use(folder.path());
    try {
      return new FolderReader(folder.path(), folder.manifest(), use);
    } catch (IOException e) {
      use.close();
      throw e;
    }
  }

  /** Returns a version's folder, unless a link stands in its place. */
  private VersionFolder found(Version version) throws IOException {
    VersionFolder folder = folder(version);
    StoreFiles.checkNoLink(folder(version.job()));
    StoreFiles.checkNoLink(folder.path());
    return folder;
  }

  /** Returns the jobs that have anything here, in the order of their names. */
  public List<String> jobs() throws IOException {
    try (Stream<Path> children = Files.list(root)) {
      return children
          .filter(StoreFiles::isFolder)
          .map(child -> child.getFileName().toString())
          .filter(DirectoryTier::isJob)
          .sorted()
          .toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  private static boolean isJob(String name) {
    try {
      return new Version(name, 0, 0).job().equals(name);
    } catch (BadInput e) {
      return false;
    }
  }

  /**
   * Forgets a job without a version whose generation was claimed before some time. To be called
   * while no process writes here.
   */
  public void forget(String job, Instant before) throws IOException {
    Path folder = folder(job);
    Path generation = folder.resolve(GenerationFile.NAME);
    if (StoreFiles.isFolder(folder)
        && StoreFiles.exists(generation)
        && Files.getLastModifiedTime(generation).toInstant().isBefore(before)
        && holdsOnly(folder, Set.of(GenerationFile.NAME, MUTEX))) {
      Files.deleteIfExists(generation);
      Files.deleteIfExists(folder.resolve(MUTEX));
      Files.deleteIfExists(folder);
    }
  }

  private static boolean holdsOnly(Path folder, Set<String> names) throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      return children.allMatch(child -> names.contains(child.getFileName().toString()));
    }
  }

  @Override
  public List<Holding> list(String job) throws IOException {
    List<Holding> holdings = new ArrayList<>();
    for (VersionFolder version : VersionFolder.all(job, folder(job))) {
      try {
        Holding holding = version.holding();
        if (holding != null) {
          holdings.add(holding);
        }
      } catch (NoSuchFileException e) {
        // deleted while we looked
      }
    }
    return holdings;
  }

  @Override
  public boolean delete(Version version) throws IOException {
    return delete(version, () -> {});
  }

  @Override
  public boolean delete(Version version, Claim claim) throws IOException {
    return delete(version, () -> fence(version.job()).check(version.job(), claim));
  }

  private boolean delete(Version version, FolderLocks.Work check) throws IOException {
    try {
      VersionFolder folder = found(version);
      return FolderLocks.alone(
          folder.path(),
          () -> {
            // nobody claims between the check and the deletion
            exclusively(
                version.job(),
                () -> {
                  check.run();
                  folder.deleteManifest();
                });
            faults.reached(FaultPoint.DURING_DELETE);
            parts.keySet().removeIf(file -> file.startsWith(folder.path()));
            folder.deleteRest();
            StoreFiles.sync(folder(version.job()));
          });
    } catch (NoSuchFileException e) {
      check.run();
      return true;
    }
  }

  @Override
  public void close() {}

  private Path folder(String job) {
    // a version checks its job's name; a name alone is checked here
    return root.resolve(new Version(job, 0, 0).job());
  }

  private VersionFolder folder(Version version) {
    return new VersionFolder(version, folder(version.job()).resolve(version.folder()));
  }

  private final class Writer implements CheckpointWriter, FileShard.Ends {

    private final VersionFolder folder;
    private final Closeable use;
    private final @Nullable Claim claim;
    private boolean touched;

    /** Writes for a claim, or without one what was accepted elsewhere. */
    Writer(VersionFolder folder, Closeable use, @Nullable Claim claim) {
      this.folder = folder;
      this.use = use;
      this.claim = claim;
    }

    @Override
    public ShardWriter shard(String shard, long bytes) throws IOException {
      Path file = folder.path().resolve(ShardName.parse(shard).file());
      folder.checkOpen();
      touched = true;
      BrokenOff known = parts.remove(file);
      if (known != null && known.position <= bytes && isThere(known)) {
        FileChannel channel = StoreFiles.open(known.part, StandardOpenOption.WRITE);
        channel.truncate(known.position);
        channel.position(known.position);
        return new FileShard(channel, known.part, file, bytes, faults, this);
      }
      // a name of its own: another process may be copying the same shard to here
      Path part = StoreFiles.part(file);
      return new FileShard(StoreFiles.create(part), part, file, bytes, faults, this);
    }

    private static boolean isThere(BrokenOff known) throws IOException {
      return StoreFiles.exists(known.part) && Files.size(known.part) >= known.position;
    }

    @Override
    public void seal(Path part, Path file) throws IOException {
      exclusively(
          folder.version().job(),
          () -> {
            folder.checkOpen();
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
          });
    }

    @Override
    public void brokenOff(Path part, Path file, long position) {
      parts.put(file, new BrokenOff(part, position));
    }

    @Override
    public Set<String> sealed() throws IOException {
      Holding holding = folder.holding();
      return holding == null ? Set.of() : holding.shards();
    }

    @Override
    public void commit(Manifest manifest, Set<String> held) throws IOException {
      if (!manifest.version().equals(folder.version())) {
        throw new IOException(
            "The manifest is of %s, not of %s.".formatted(manifest.version(), folder.version()));
      }
      folder.checkShards(manifest, held);
      faults.reached(FaultPoint.BEFORE_MANIFEST);
      byte[] bytes = manifest.toBytes();
      exclusively(folder.version().job(), () -> commitAlone(manifest, bytes));
      faults.reached(FaultPoint.AFTER_MANIFEST);
    }

    private void commitAlone(Manifest manifest, byte[] bytes) throws IOException {
      String job = folder.version().job();
      if (claim != null) {
        new GenerationFile(job, folder(job)).claim(claim);
      }
      if (StoreFiles.exists(folder.manifestFile()) && folder.manifest().isSameSave(manifest)) {
        // an earlier attempt of ours, whose answer was lost
        folder.keep();
        return;
      }
      folder.checkOpen();
      Path part = StoreFiles.part(folder.manifestFile());
      try (FileChannel channel = StoreFiles.create(part)) {
        StoreFiles.writeAll(channel, ByteBuffer.wrap(bytes, 0, bytes.length / 2));
        faults.reached(FaultPoint.MID_MANIFEST);
        StoreFiles.writeAll(
            channel, ByteBuffer.wrap(bytes, bytes.length / 2, bytes.length - bytes.length / 2));
        channel.force(true);
      } catch (IOException e) {
        Files.deleteIfExists(part);
        throw e;
      }
      faults.reached(FaultPoint.BEFORE_MANIFEST_RENAME);
      StoreFiles.rename(part, folder.manifestFile());
    }

    @Override
    public void close() throws IOException {
      use.close();
      Holding left = touched ? null : folder.holding();
      // who only looked leaves no empty folder behind
      if (left != null && left.bytes() == 0) {
        delete(folder.version());
      }
    }
  }
}
