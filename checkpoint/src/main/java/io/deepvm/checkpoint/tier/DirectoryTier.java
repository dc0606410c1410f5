package io.deepvm.checkpoint.tier;

import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Shard;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.units.BadInput;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Checkpoints in a folder: {@code root/job/step-000000001200-g000003/}. A disk, or with {@link
 * Level#ARCHIVED} a folder that stands for an object store. Every file is written under a temporary
 * name, synced, renamed, and its folder synced.
 */
public final class DirectoryTier implements Tier {

  private static final String PART = ".part";
  private static final String FENCE = "generation";
  private static final String MUTEX = ".lock";

  private final String name;
  private final Level level;
  private final Path root;
  private final FaultPoints faults;

  /**
   * What this process itself wrote of broken-off shards; parts of a dead process are not trusted.
   */
  private final Map<Path, BrokenOff> parts = new ConcurrentHashMap<>();

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

  @Override
  public long generation(String job) throws IOException {
    Path file = folder(job).resolve(FENCE);
    try {
      return Long.parseLong(Files.readString(file).strip());
    } catch (NoSuchFileException e) {
      return 0;
    } catch (NumberFormatException e) {
      throw new CorruptCheckpoint("%s does not hold a number.".formatted(file), e);
    }
  }

  @Override
  public void fence(String job, long generation) throws IOException {
    Path folder = folder(job);
    create(folder);
    FolderLocks.exclusively(
        folder.resolve(MUTEX),
        () -> {
          checkFence(job, generation);
          if (generation(job) < generation) {
            byte[] text = (generation + "\n").getBytes(StandardCharsets.US_ASCII);
            Path part = folder.resolve(FENCE + PART);
            try (FileChannel channel = overwrite(part)) {
              writeAll(channel, ByteBuffer.wrap(text));
              channel.force(true);
            }
            rename(part, folder.resolve(FENCE));
          }
        });
  }

  private void checkFence(String job, long generation) throws IOException {
    long newest = generation(job);
    if (newest > generation) {
      throw new StaleGeneration(job, generation, newest);
    }
  }

  @Override
  public CheckpointWriter write(Version version) throws IOException {
    checkFence(version.job(), version.generation());
    return open(version, true);
  }

  /**
   * Begins a copy of a version that was committed elsewhere while its generation could. A newer one
   * announced since does not stop it, as it counts as older than anything of that one.
   */
  public CheckpointWriter writeAccepted(Version version) throws IOException {
    return open(version, false);
  }

  private CheckpointWriter open(Version version, boolean fenced) throws IOException {
    Path folder = folder(version);
    Closeable use = create(folder, version);
    if (Files.exists(folder.resolve(Manifest.FILE))) {
      use.close();
      throw new FileAlreadyExistsException(folder.toString(), null, "it is committed");
    }
    return new Writer(version, folder, use, fenced);
  }

  /**
   * Creates the folder of a version, if need be again, should another process clean up just now.
   */
  private Closeable create(Path folder, Version version) throws IOException {
    for (int attempt = 1; ; attempt++) {
      create(folder(version.job()));
      create(folder);
      try {
        return FolderLocks.use(folder);
      } catch (NoSuchFileException e) {
        if (attempt == 10) {
          throw e;
        }
      }
    }
  }

  @Override
  public CheckpointReader read(Version version) throws IOException {
    Path folder = folder(version);
    Closeable use = FolderLocks.use(folder);
    try {
      return new Reader(folder, manifest(folder, version), use);
    } catch (IOException e) {
      use.close();
      throw e;
    }
  }

  private static Manifest manifest(Path folder, Version version) throws IOException {
    Path file = folder.resolve(Manifest.FILE);
    byte[] bytes;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      if (channel.size() > Manifest.MAX_BYTES) {
        throw new CorruptCheckpoint("%s has %d bytes.".formatted(file, channel.size()));
      }
      ByteBuffer buffer = ByteBuffer.allocate((int) channel.size());
      readAll(channel, 0, buffer);
      bytes = buffer.array();
    }
    Manifest manifest = Manifest.parse(bytes);
    if (!manifest.version().equals(version)) {
      throw new CorruptCheckpoint("%s is that of %s.".formatted(file, manifest.version()));
    }
    return manifest;
  }

  /** Returns the jobs that have anything here, in the order of their names. */
  public List<String> jobs() throws IOException {
    try (Stream<Path> children = Files.list(root)) {
      return children
          .filter(Files::isDirectory)
          .map(child -> child.getFileName().toString())
          .sorted()
          .toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  @Override
  public List<Holding> list(String job) throws IOException {
    Path folder = folder(job);
    List<Version> versions = new ArrayList<>();
    try (Stream<Path> children = Files.list(folder)) {
      children.forEach(
          child -> {
            Version version = Version.ofFolder(job, child.getFileName().toString());
            if (version != null) {
              versions.add(version);
            }
          });
    } catch (NoSuchFileException e) {
      return List.of();
    }
    List<Holding> holdings = new ArrayList<>();
    for (Version version : versions) {
      try {
        holdings.add(holding(version));
      } catch (NoSuchFileException e) {
        // deleted while we looked
      }
    }
    return holdings;
  }

  private Holding holding(Version version) throws IOException {
    Path folder = folder(version);
    Map<String, Long> sizes = new HashMap<>();
    boolean committed = false;
    long bytes = 0;
    try (Stream<Path> children = Files.list(folder)) {
      for (Path child : children.toList()) {
        String file = child.getFileName().toString();
        long size;
        try {
          size = Files.size(child);
        } catch (NoSuchFileException e) {
          // another writer has given its part the final name just now
          continue;
        }
        bytes += size;
        committed |= file.equals(Manifest.FILE);
        if (isShard(file)) {
          sizes.put(file, size);
        }
      }
    }
    if (!committed) {
      return new Holding(version, Holding.Condition.UNCOMMITTED, sizes.keySet(), Set.of(), bytes);
    }
    Set<String> missing = new HashSet<>();
    Holding.Condition condition = Holding.Condition.COMMITTED;
    try {
      for (Shard shard : manifest(folder, version).shards()) {
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

  private static boolean isShard(String file) {
    try {
      ShardName.parse(file);
      return true;
    } catch (BadInput e) {
      return false;
    }
  }

  @Override
  public boolean delete(Version version) throws IOException {
    Path folder = folder(version);
    try {
      return FolderLocks.alone(
          folder,
          () -> {
            if (Files.deleteIfExists(folder.resolve(Manifest.FILE))) {
              sync(folder);
            }
            faults.reached(FaultPoint.DURING_DELETE);
            parts.keySet().removeIf(file -> file.startsWith(folder));
            try (Stream<Path> children = Files.list(folder)) {
              for (Path child : children.toList()) {
                Files.deleteIfExists(child);
              }
            }
            Files.deleteIfExists(folder);
            sync(folder(version.job()));
          });
    } catch (NoSuchFileException e) {
      return true;
    }
  }

  @Override
  public void close() {}

  private Path folder(String job) {
    // a version checks its job's name; a name alone is checked here
    return root.resolve(new Version(job, 0, 0).job());
  }

  private Path folder(Version version) {
    return folder(version.job()).resolve(version.folder());
  }

  /** Creates a folder and those above it, and syncs each parent so that they stay. */
  private static void create(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null) {
      create(parent);
    }
    try {
      Files.createDirectory(folder);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
    if (parent != null) {
      sync(parent);
    }
  }

  private static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    Path folder = to.getParent();
    if (folder != null) {
      sync(folder);
    }
  }

  private static FileChannel overwrite(Path file) throws IOException {
    return FileChannel.open(
        file,
        StandardOpenOption.CREATE,
        StandardOpenOption.WRITE,
        StandardOpenOption.TRUNCATE_EXISTING);
  }

  private static void writeAll(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static void readAll(FileChannel channel, long position, ByteBuffer into)
      throws IOException {
    long at = position;
    while (into.hasRemaining()) {
      int read = channel.read(into, at);
      if (read < 0) {
        throw new CorruptCheckpoint("The file ends after %d bytes.".formatted(at));
      }
      at += read;
    }
  }

  private final class Writer implements CheckpointWriter {

    private final Version version;
    private final Path folder;
    private final Closeable use;
    private final boolean fenced;
    private boolean touched;

    Writer(Version version, Path folder, Closeable use, boolean fenced) {
      this.version = version;
      this.folder = folder;
      this.use = use;
      this.fenced = fenced;
    }

    @Override
    public ShardWriter shard(String shard, long bytes) throws IOException {
      Path file = folder.resolve(ShardName.parse(shard).file());
      touched = true;
      BrokenOff known = parts.remove(file);
      if (known != null && known.position <= bytes && isThere(known)) {
        FileChannel channel = FileChannel.open(known.part, StandardOpenOption.WRITE);
        channel.truncate(known.position);
        channel.position(known.position);
        return new FileShard(channel, known.part, file, bytes, known.position);
      }
      // a name of its own: another process may be copying the same shard to here
      Path part = folder.resolve("%s.%s%s".formatted(shard, UUID.randomUUID(), PART));
      return new FileShard(overwrite(part), part, file, bytes, 0);
    }

    private static boolean isThere(BrokenOff known) throws IOException {
      return Files.exists(known.part) && Files.size(known.part) >= known.position;
    }

    @Override
    public Set<String> sealed() throws IOException {
      return holding(version).shards();
    }

    @Override
    public void commit(Manifest manifest, Set<String> held) throws IOException {
      if (!manifest.version().equals(version)) {
        throw new IOException(
            "The manifest is of %s, not of %s.".formatted(manifest.version(), version));
      }
      for (Shard shard : manifest.shards()) {
        Path file = folder.resolve(shard.name());
        if (held.contains(shard.name())
            && (!Files.exists(file) || Files.size(file) != shard.bytes())) {
          throw new IOException("%s of %s is not there in full.".formatted(shard.name(), version));
        }
      }
      faults.reached(FaultPoint.BEFORE_MANIFEST);
      byte[] bytes = manifest.toBytes();
      FolderLocks.exclusively(folder(version.job()).resolve(MUTEX), () -> commit(bytes));
      faults.reached(FaultPoint.AFTER_MANIFEST);
    }

    private void commit(byte[] bytes) throws IOException {
      if (fenced) {
        checkFence(version.job(), version.generation());
      }
      Path part = folder.resolve(Manifest.FILE + PART);
      try (FileChannel channel = overwrite(part)) {
        writeAll(channel, ByteBuffer.wrap(bytes, 0, bytes.length / 2));
        faults.reached(FaultPoint.MID_MANIFEST);
        writeAll(
            channel, ByteBuffer.wrap(bytes, bytes.length / 2, bytes.length - bytes.length / 2));
        channel.force(true);
      }
      faults.reached(FaultPoint.BEFORE_MANIFEST_RENAME);
      rename(part, folder.resolve(Manifest.FILE));
    }

    @Override
    public void close() throws IOException {
      use.close();
      // who only looked leaves no empty folder behind
      if (!touched && holding(version).bytes() == 0) {
        delete(version);
      }
    }
  }

  private final class FileShard implements ShardWriter {

    private final FileChannel channel;
    private final EarlySync early;
    private final Path part;
    private final Path file;
    private final long bytes;
    private long position;
    private boolean resumable = true;

    FileShard(FileChannel channel, Path part, Path file, long bytes, long position) {
      this.channel = channel;
      early = new EarlySync(channel);
      this.part = part;
      this.file = file;
      this.bytes = bytes;
      this.position = position;
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void write(ByteBuffer buffer) throws IOException {
      if (buffer.remaining() > bytes - position) {
        throw new IOException(
            "%s was announced with %d bytes and gets more.".formatted(file.getFileName(), bytes));
      }
      // after an error the system may have dropped pages it never wrote: only a fresh file is safe
      resumable = false;
      int length = buffer.remaining();
      writeAll(channel, buffer);
      early.wrote(length);
      faults.reached(FaultPoint.MID_SHARD_WRITE);
      position += length;
      resumable = true;
    }

    @Override
    public void seal() throws IOException {
      if (position != bytes) {
        throw new IOException(
            "%s has %d of %d bytes.".formatted(file.getFileName(), position, bytes));
      }
      resumable = false;
      faults.reached(FaultPoint.BEFORE_SHARD_FSYNC);
      early.await();
      channel.force(true);
      faults.reached(FaultPoint.BEFORE_SHARD_RENAME);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      faults.reached(FaultPoint.AFTER_SHARD_RENAME);
      Path folder = file.getParent();
      if (folder != null) {
        sync(folder);
      }
    }

    @Override
    public void close() throws IOException {
      if (channel.isOpen()) {
        try {
          early.await();
        } catch (IOException e) {
          resumable = false;
        }
        channel.close();
        if (resumable) {
          parts.put(file, new BrokenOff(part, position));
        } else {
          Files.deleteIfExists(part);
        }
      }
    }
  }

  private static final class Reader implements CheckpointReader {

    private final Path folder;
    private final Manifest manifest;
    private final Closeable use;
    private final Map<String, FileChannel> channels = new HashMap<>();

    Reader(Path folder, Manifest manifest, Closeable use) {
      this.folder = folder;
      this.manifest = manifest;
      this.use = use;
    }

    @Override
    public Manifest manifest() {
      return manifest;
    }

    @Override
    public void read(String shard, long position, ByteBuffer into) throws IOException {
      readAll(channel(shard), position, into);
    }

    private synchronized FileChannel channel(String shard) throws IOException {
      FileChannel channel = channels.get(shard);
      if (channel == null) {
        Path file = folder.resolve(ShardName.parse(shard).file());
        channel = FileChannel.open(file, StandardOpenOption.READ);
        channels.put(shard, channel);
      }
      return channel;
    }

    @Override
    public synchronized void close() throws IOException {
      try {
        for (FileChannel channel : channels.values()) {
          channel.close();
        }
      } finally {
        use.close();
      }
    }
  }
}
