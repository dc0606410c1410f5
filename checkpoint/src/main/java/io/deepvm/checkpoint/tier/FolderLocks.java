package io.deepvm.checkpoint.tier;

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

  private static final Map<Path, Users> USED = new HashMap<>();
  private static final Map<Path, ReentrantLock> MUTEXES = new ConcurrentHashMap<>();

  private static final class Users {
    private final @Nullable FileChannel channel;
    private int count = 1;

    Users(@Nullable FileChannel channel) {
      this.channel = channel;
    }
  }

  private FolderLocks() {}

  /**
   * Marks a folder as used until the returned handle is closed.
   *
   * @throws NoSuchFileException when the folder is not there
   */
  static Closeable use(Path folder) throws IOException {
    Path key = folder.toRealPath();
    synchronized (USED) {
      Users users = USED.get(key);
      if (users == null) {
        USED.put(key, new Users(shared(key.resolve(FILE))));
      } else {
        users.count++;
      }
    }
    return new Handle(key);
  }

  /** Returns a channel that holds the shared lock, or null where nobody may write, so none can. */
  private static @Nullable FileChannel shared(Path file) throws IOException {
    try {
      if (!Files.exists(file)) {
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE).close();
      }
    } catch (AccessDeniedException | ReadOnlyFileSystemException e) {
      return null;
    }
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    try {
      FileLock lock = await(channel, file, true);
      // whoever deleted the folder meanwhile has left us a lock on a file that is gone
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

    private @Nullable Path key;

    Handle(Path key) {
      this.key = key;
    }

    @Override
    public void close() throws IOException {
      synchronized (USED) {
        Path mine = key;
        key = null;
        Users users = mine == null ? null : USED.get(mine);
        if (users != null && --users.count == 0) {
          USED.remove(mine);
          if (users.channel != null) {
            users.channel.close();
          }
        }
      }
    }
  }

  /** Something to do while nobody else uses a folder. */
  interface Work {
    void run() throws IOException;
  }

  /** Runs the work if nobody uses the folder, and returns whether it did. */
  static boolean alone(Path folder, Work work) throws IOException {
    Path key = folder.toRealPath();
    synchronized (USED) {
      if (USED.containsKey(key)) {
        return false;
      }
      try (FileChannel channel =
          FileChannel.open(
              key.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        FileLock lock = channel.tryLock();
        if (lock == null) {
          return false;
        }
        work.run();
        return true;
      }
    }
  }

  /** Runs the work while no other thread or process runs any under the same file. */
  static void exclusively(Path file, Work work) throws IOException {
    ReentrantLock mutex =
        Objects.requireNonNull(
            MUTEXES.computeIfAbsent(file.toAbsolutePath().normalize(), f -> new ReentrantLock()));
    if (!acquired(mutex)) {
      throw late(file);
    }
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = await(channel, file, false)) {
      Objects.requireNonNull(lock);
      work.run();
    } finally {
      mutex.unlock();
    }
  }

  private static boolean acquired(ReentrantLock mutex) throws IOException {
    try {
      return mutex.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
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
        throw late(file);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("Interrupted while waiting for a lock.");
      }
    }
  }

  private static IOException late(Path file) {
    return new IOException(
        "Another process has held %s for %d s.".formatted(file, PATIENCE.toSeconds()));
  }
}
