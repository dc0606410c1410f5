package io.deepvm.trainer.server;

import java.util.TreeSet;

/** Which leases a server has applied, each once: all up to a number, and some beyond it. */
final class Applied {

  private long all;
  private final TreeSet<Long> beyond = new TreeSet<>();

  /** Begins with all leases before this one. */
  void begin(long first) {
    all = first;
    beyond.clear();
  }

  /** Notes a lease; false if it was applied before. */
  boolean add(long lease) {
    if (lease < all || !beyond.add(lease)) {
      return false;
    }
    while (beyond.remove(all)) {
      all++;
    }
    return true;
  }

  /** Returns how many there are. */
  long count() {
    return all + beyond.size();
  }
}
