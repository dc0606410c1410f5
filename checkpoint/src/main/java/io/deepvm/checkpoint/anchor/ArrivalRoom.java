package io.deepvm.checkpoint.anchor;

/** How much of the heap parts and manifests on their way may take together. */
final class ArrivalRoom {

  private long free;

  ArrivalRoom(long bytes) {
    free = bytes;
  }

  /** Takes this much, unless that is more than is left. */
  synchronized boolean take(long bytes) {
    if (bytes > free) {
      return false;
    }
    free -= bytes;
    return true;
  }

  synchronized void give(long bytes) {
    free += bytes;
  }

  synchronized long free() {
    return free;
  }
}
