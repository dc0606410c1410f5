package io.deepvm.cluster.output;

/**
 * A line that a process of a command printed, without control characters.
 *
 * @param rank the process's rank in its generation
 * @param pipe which of its two streams the process wrote to
 */
public record PrintedLine(int rank, Pipe pipe, String text) {

  /** Standard output or standard error. */
  public enum Pipe {
    OUT,
    ERR
  }
}
