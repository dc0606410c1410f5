package io.deepvm.transport;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;

/**
 * How much one endpoint takes at most.
 *
 * @param chunkBytes the payload of a data frame, checked as a unit
 * @param window how far a sender may be ahead of a sink
 * @param budget the memory for bytes on their way to sinks, over all connections
 * @param messageBytes the longest request and the longest answer
 * @param nameBytes the longest name and group
 * @param connections how many proven ones at a time
 * @param transfers how many at a time in each direction of a connection
 * @param requests how many of the other side are worked on at a time, per connection
 */
public record Limits(
    int chunkBytes,
    DataSize window,
    DataSize budget,
    int messageBytes,
    int nameBytes,
    int connections,
    int transfers,
    int requests) {

  static final int LEAST_CHUNK = 1 << 10;
  static final int LARGEST_CHUNK = 16 << 20;

  /** Chunks of 2 MiB, a window of 16 MiB, a budget of 256 MiB. */
  public static final Limits USUAL =
      new Limits(
          2 << 20, new DataSize(16L << 20), new DataSize(256L << 20), 1 << 18, 1024, 256, 256, 16);

  public Limits {
    if (chunkBytes < LEAST_CHUNK || chunkBytes > LARGEST_CHUNK) {
      throw new BadInput(
          "The chunk size (" + chunkBytes + " bytes) is not from 1 KiB to 16 MiB.",
          "Maybe take the usual 2 MiB.");
    }
    if (window.bytes() < chunkBytes || budget.bytes() < chunkBytes) {
      throw new BadInput(
          "The window ("
              + window
              + ") or the budget ("
              + budget
              + ") is smaller than a chunk ("
              + new DataSize(chunkBytes)
              + ").",
          "Maybe raise it, or take smaller chunks.");
    }
    if (messageBytes < 1 || messageBytes > LARGEST_CHUNK || nameBytes < 1 || nameBytes > 0xffff) {
      throw new BadInput(
          "The message limit ("
              + messageBytes
              + " bytes) is not from 1 to 16 MiB, or the name limit ("
              + nameBytes
              + " bytes) not from 1 to 65535.",
          "Maybe take the usual limits.");
    }
    if (connections < 1 || transfers < 1 || requests < 1) {
      throw new BadInput(
          "There is no room for a connection, a transfer or a request.",
          "Maybe allow one at least.");
    }
  }

  /** Returns the same limits with other chunks. */
  public Limits withChunkBytes(int bytes) {
    return new Limits(
        bytes, window, budget, messageBytes, nameBytes, connections, transfers, requests);
  }

  /** Returns the same limits with another window and budget. */
  public Limits withMemory(DataSize newWindow, DataSize newBudget) {
    return new Limits(
        chunkBytes,
        newWindow,
        newBudget,
        messageBytes,
        nameBytes,
        connections,
        transfers,
        requests);
  }

  /** Returns the same limits with another number of connections. */
  public Limits withConnections(int number) {
    return new Limits(
        chunkBytes, window, budget, messageBytes, nameBytes, number, transfers, requests);
  }

  /** Throws if a message is longer than what is sent. */
  static void check(String what, int length, int most) {
    if (length > most) {
      throw new BadInput(
          "The " + what + " has " + length + " bytes; at most " + most + " are sent.",
          "Maybe send it as a transfer, or raise the limit on both sides.");
    }
  }
}
