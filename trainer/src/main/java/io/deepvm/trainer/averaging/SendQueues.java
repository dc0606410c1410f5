package io.deepvm.trainer.averaging;

import io.deepvm.trainer.member.Peers;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/** The blocks on their way to each member of one generation, a few at a time, in order. */
final class SendQueues {

  /** More blocks at once to one member would all arrive late instead of in turn. */
  private static final int WINDOW = 3;

  /**
   * A block to send.
   *
   * @param isContribution whether the receiver sums it; else it is a sum already
   */
  record Block(String name, ByteBuffer bytes, boolean isContribution) {}

  private final Peers peers;
  private final List<Deque<Block>> waiting;
  private final int[] underway;

  /** The contributions among the blocks under way. */
  private final int[] contributing;

  private int unsent;

  SendQueues(Peers peers, int members) {
    this.peers = peers;
    waiting = Stream.<Deque<Block>>generate(ArrayDeque::new).limit(members).toList();
    underway = new int[members];
    contributing = new int[members];
  }

  /** Sends a block as soon as the window of this member has room. */
  synchronized void send(int to, Block block) {
    unsent++;
    waiting.get(to).add(block);
    sendNext(to);
  }

  /** Drops the blocks that are not under way; a newer generation has its own queues. */
  synchronized void clear() {
    waiting.forEach(Deque::clear);
  }

  /** Whether every block has been taken. */
  synchronized boolean isEmpty() {
    return unsent == 0;
  }

  private void sendNext(int to) {
    Deque<Block> queue = waiting.get(to);
    while (underway[to] < WINDOW && !queue.isEmpty()) {
      if (!queue.element().isContribution() && contributing[to] > 0) {
        // A sum would take half of the link from what the other waits for to send its own.
        return;
      }
      Block next = queue.remove();
      underway[to]++;
      contributing[to] += next.isContribution() ? 1 : 0;
      peers.send(to, next.name(), next.bytes(), () -> sent(to, next));
    }
  }

  private synchronized void sent(int to, Block block) {
    underway[to]--;
    contributing[to] -= block.isContribution() ? 1 : 0;
    unsent--;
    sendNext(to);
  }
}
