package io.deepvm.checkpoint.anchor;

/**
 * How an anchor is doing, at one moment.
 *
 * @param memory what it keeps in memory
 * @param disk what it keeps on the disk
 * @param flush from the memory to the disk
 * @param upload from the disk to the archive
 * @param connections open ones
 * @param refused connections that ended before their other side was proven
 */
public record AnchorFigures(
    Kept memory, Kept disk, Backlog flush, Backlog upload, int connections, long refused) {

  /**
   * What one place holds.
   *
   * @param versions committed or not
   */
  public record Kept(int versions, long bytes) {}

  /**
   * What is brought from one place to the next.
   *
   * @param waiting jobs whose newest version is not there yet
   * @param failures times a version could not be brought there; it is tried again
   */
  public record Backlog(int waiting, long failures) {}
}
