package io.deepvm.checkpoint.tier;

import io.deepvm.base.PrivateFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Says among all processes which folders are in use: users share a lock on a file in the folder,
 * who deletes needs it alone. The operating system drops the locks of a process that dies. It keeps
 * one lock a process and file, hence the count of users per folder in this one.
 */
final class FolderLocks {

  /** The file in each folder that carries its lock. */
  static final String FILE = ".in-use";

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long POLL_MS = 5;

  /** The folders that somebody here uses or deletes; its monitor is never held for long. */
  private static final Map<Path, Folder> FOLDERS = new HashMap<>();

  private static final Map<Path, ReentrantLock> MUTEXES = new ConcurrentHashMap<>();

  /** Who uses one folder. A lock of its own, so that a disk that hangs stops no other. */
  private static final class Folder {
    private final ReentrantLock lock = new ReentrantLock();

    /** How many hold on to this object; guarded by the map. */
    private int holders;

    /** Guarded by the lock, as is the channel. */
    private int users;

    private @Nullable FileChannel channel;
  }

  private FolderLocks() {}

  private static Folder hold(Path key) {
    synchronized (FOLDERS) {
      Folder folder = FOLDERS.computeIfAbsent(key, k -> new Folder());
      folder.holders++;
      return folder;
    }
  }

  private static void letGo(Path key, Folder folder) {
    synchronized (FOLDERS) {
      if (--folder.holders == 0) {
        FOLDERS.remove(key);
      }
    }
  }

  /**
   * Marks a folder as used until the returned handle is closed.
   *
   * @throws NoSuchFileException when the folder is not there
   */
  static Closeable use(Path path) throws IOException {
    Path key = path.toRealPath();
    Folder folder = hold(key);
    try {
      lock(folder.lock, key);
      try {
        if (folder.users == 0) {
          folder.channel = shared(key.resolve(FILE));
        }
        folder.users++;
      } finally {
        folder.lock.unlock();
      }
    } catch (IOException | RuntimeException e) {
      letGo(key, folder);
      throw e;
    }
    return new Handle(key, folder);
  }

  /**
   * Returns a channel that holds the shared lock, or null where this user may not lock: nothing can
   * be written there, or the store is another user's, whom a reader must not stop.
   */
  private static @Nullable FileChannel shared(Path file) throws IOException {
    FileChannel channel;
    try {
      if (!Files.exists(file)) {
        PrivateFiles.openLock(file).close();
      }
      channel = StoreFiles.open(file, StandardOpenOption.READ);
    } catch (AccessDeniedException | ReadOnlyFileSystemException e) {
      return null;
    }
    try {
      FileLock lock = await(channel, file, true);
      // if the folder was deleted meanwhile, this is a lock on a file that is gone
      if (lock.isValid() && Files.exists(file)) {
        return channel;
      }
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new NoSuchFileException(file.toString());
  }

  /** Ends one use; only the first call counts. */
  private static final class Handle implements Closeable {

    private final Path key;
    private final Folder folder;
    private final AtomicBoolean closed = new AtomicBoolean();

    Handle(Path key, Folder folder) {
      this.key = key;
      this.folder = folder;
    }

    @Override
    public void close() throws IOException {
      if (!closed.compareAndSet(false, true)) {
        return;
      }
      folder.lock.lock();
      try {
        FileChannel channel = folder.channel;
        if (--folder.users == 0 && channel != null) {
          folder.channel = null;
          channel.close();
        }
      } finally {
        folder.lock.unlock();
        letGo(key, folder);
      }
    }
  }

  /** Something to do while nobody else uses a folder. */
  interface Work {
    void run() throws IOException;
  }

  /** Runs the work if nobody uses the folder, and returns whether it did. */
  static boolean alone(Path path, Work work) throws IOException {
    Path key = path.toRealPath();
    Folder folder = hold(key);
    try {
      lock(folder.lock, key);
      try {
        return folder.users == 0 && ranAlone(key.resolve(FILE), work);
      } finally {
        folder.lock.unlock();
      }
    } finally {
      letGo(key, folder);
    }
  }

  private static boolean ranAlone(Path file, Work work) throws IOException {
    try (FileChannel channel = PrivateFiles.openLock(file)) {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        return false;
      }
      work.run();
      return true;
    }
  }

  /** Runs the work while no other thread or process runs any under the same file. */
  static void exclusively(Path file, Work work) throws IOException {
    ReentrantLock mutex =
        Objects.requireNonNull(
            MUTEXES.computeIfAbsent(file.toAbsolutePath().normalize(), f -> new ReentrantLock()));
    lock(mutex, file);
    try (FileChannel channel = PrivateFiles.openLock(file);
        FileLock lock = await(channel, file, false)) {
      Objects.requireNonNull(lock);
      work.run();
    } finally {
      mutex.unlock();
    }
  }

  /** Takes the lock of a file or folder among the threads of this process. */
  private static void lock(ReentrantLock lock, Path path) throws IOException {
    try {
      if (!lock.tryLock() && !lock.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new IOException(
            "Another thread has held %s for %d s.".formatted(path, PATIENCE.toSeconds()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while waiting for a lock.");
    }
  }

  /** Returns the lock once no other process is in the way; a frozen one must not stop everybody. */
  private static FileLock await(FileChannel channel, Path file, boolean shared) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      FileLock lock = channel.tryLock(0, Long.MAX_VALUE, shared);
      if (lock != null) {
        return lock;
      }
      if (System.nanoTime() > deadline) {
        throw new IOException(
            "Another process has held %s for %d s.".formatted(file, PATIENCE.toSeconds()));
      }
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("Interrupted while waiting for a lock.");
      }
    }
  }
}
