package io.deepvm.cluster.output;

import java.util.List;

/**
 * Lines of one node, in the order in which they were printed. An agent sends the next ones when
 * these have been received.
 *
 * @param number counts what the agent has sent, from 1
 * @param leftOut how many lines before these were dropped, because they came faster than they went
 */
public record PrintedLines(long number, long leftOut, List<PrintedLine> lines) {

  public PrintedLines {
    lines = List.copyOf(lines);
  }
}
