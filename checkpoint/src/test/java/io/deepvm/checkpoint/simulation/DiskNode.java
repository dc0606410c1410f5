package io.deepvm.checkpoint.simulation;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A file or folder: what processes see of it, and what would be left after a crash. */
final class DiskNode {

  private static final int BLOCK = 512;

  /** One step of a folder: a name goes, another comes; both at once in a rename. */
  record Change(String gone, String come, DiskNode node) {

    static Change of(String name, DiskNode node) {
      return node == null ? new Change(name, null, null) : new Change(null, name, node);
    }

    void apply(Map<String, DiskNode> entries) {
      if (gone != null) {
        entries.remove(gone);
      }
      if (come != null) {
        entries.put(come, node);
      }
    }
  }

  /** A lock of a process on a file. */
  record Held(SimulatedProcess process, boolean shared) {}

  private final boolean folder;
  private final Map<String, DiskNode> seen = new LinkedHashMap<>();
  private final Map<String, DiskNode> kept = new LinkedHashMap<>();
  private final List<Change> unsynced = new ArrayList<>();
  private final List<Held> locks = new ArrayList<>();
  private byte[] data = new byte[0];
  private int size;
  private byte[] durable = new byte[0];
  private int dirtyFrom = Integer.MAX_VALUE;
  private int dirtyTo;
  private boolean resized;
  private Instant modified = Instant.EPOCH;

  DiskNode(boolean folder) {
    this.folder = folder;
  }

  boolean isFolder() {
    return folder;
  }

  Map<String, DiskNode> children() {
    return seen;
  }

  DiskNode child(String name) {
    return seen.get(name);
  }

  void change(Change change) {
    change.apply(seen);
    unsynced.add(change);
  }

  Instant modified() {
    return modified;
  }

  void touch(Instant now) {
    modified = now;
  }

  int size() {
    return size;
  }

  int read(int at, byte[] into, int offset, int length) {
    int count = Math.min(length, size - at);
    if (count <= 0) {
      return -1;
    }
    System.arraycopy(data, at, into, offset, count);
    return count;
  }

  void write(int at, byte[] bytes) {
    if (at + bytes.length > data.length) {
      data = Arrays.copyOf(data, Math.max(at + bytes.length, data.length * 2));
    }
    System.arraycopy(bytes, 0, data, at, bytes.length);
    resized |= at + bytes.length > size;
    size = Math.max(size, at + bytes.length);
    dirtyFrom = Math.min(dirtyFrom, at);
    dirtyTo = Math.max(dirtyTo, at + bytes.length);
  }

  void truncate(int to) {
    if (to < size) {
      Arrays.fill(data, to, size, (byte) 0);
      size = to;
      resized = true;
    }
  }

  /** Brings everything to the disk. */
  void sync() {
    if (folder) {
      unsynced.forEach(change -> change.apply(kept));
      unsynced.clear();
      return;
    }
    if (isDirty()) {
      byte[] next = Arrays.copyOf(durable, size);
      int to = Math.min(dirtyTo, size);
      if (dirtyFrom < to) {
        System.arraycopy(data, dirtyFrom, next, dirtyFrom, to - dirtyFrom);
      }
      durable = next;
      clean();
    }
  }

  /** A sync that failed: the system takes the pages for written, and they are not. */
  void loseSync() {
    clean();
  }

  private boolean isDirty() {
    return resized || dirtyFrom < dirtyTo;
  }

  private void clean() {
    dirtyFrom = Integer.MAX_VALUE;
    dirtyTo = 0;
    resized = false;
  }

  void crash(SplittableRandom random) {
    locks.clear();
    if (folder) {
      // a journal keeps the order: some of the last changes are lost
      int done = unsynced.isEmpty() ? 0 : random.nextInt(unsynced.size() + 1);
      unsynced.subList(0, done).forEach(change -> change.apply(kept));
      unsynced.clear();
      seen.clear();
      seen.putAll(kept);
      kept.values().forEach(child -> child.crash(random));
      return;
    }
    if (isDirty()) {
      switch (random.nextInt(3)) {
        case 0 -> sync();
        case 1 -> tear(random);
        default -> {}
      }
    }
    clean();
    data = durable.clone();
    size = data.length;
  }

  /** Keeps some of the blocks that were not synced; others are as before, or zeros. */
  private void tear(SplittableRandom random) {
    int low = Math.min(durable.length, size);
    int high = Math.max(durable.length, size);
    byte[] next = Arrays.copyOf(durable, low + random.nextInt(high - low + 1));
    for (int block = 0; block < next.length; block += BLOCK) {
      int end = Math.min(Math.min(block + BLOCK, next.length), size);
      if (block < end && random.nextBoolean()) {
        System.arraycopy(data, block, next, block, end - block);
      }
    }
    durable = next;
  }

  /** Turns one bit over, in the cache and on the disk. */
  void flip(SplittableRandom random) {
    int at = random.nextInt(size);
    int bit = 1 << random.nextInt(8);
    data[at] ^= (byte) bit;
    if (at < durable.length) {
      durable = durable.clone();
      durable[at] ^= (byte) bit;
    }
  }

  /** Returns the locks of processes that live. */
  List<Held> locks() {
    locks.removeIf(held -> held.process.isDead());
    return locks;
  }
}
