package io.deepvm.checkpoint.anchor;

/**
 * How an anchor is doing, at one moment.
 *
 * @param memoryVersions versions in memory, committed or not
 * @param memoryBytes what is taken of the memory
 * @param diskVersions versions on the disk, committed or not
 * @param diskBytes what they take there
 * @param flushWaiting jobs whose newest version is in memory, not on the disk yet
 * @param uploadWaiting jobs whose newest version on the disk is not in the archive yet
 * @param flushFailures times a version could not be flushed; it is tried again
 * @param uploadFailures times a version could not be uploaded; it is tried again
 * @param connections open ones
 */
public record AnchorFigures(
    int memoryVersions,
    long memoryBytes,
    int diskVersions,
    long diskBytes,
    int flushWaiting,
    int uploadWaiting,
    long flushFailures,
    long uploadFailures,
    int connections) {}
