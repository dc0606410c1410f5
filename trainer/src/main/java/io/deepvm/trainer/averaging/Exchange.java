package io.deepvm.trainer.averaging;

import io.deepvm.trainer.job.TrainingJob.Wire;
import io.deepvm.trainer.member.Agent;
import io.deepvm.trainer.member.GenerationOver;
import io.deepvm.trainer.member.PeerLost;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.vector.Floats;
import io.deepvm.trainer.vector.Halves;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * Sums a vector over all members so that each ends with the same bits: every member owns an equal
 * part, gets it from all others, sums in the order of ranks and gives the sum back. Parts move in
 * blocks, so that sums go out while contributions come in.
 */
public final class Exchange {

  /** The step before rank 0 has said which is the first of a generation. */
  private static final long ANY = -1;

  private static final int LEAST_BLOCK = 1 << 19;
  private static final int MOST_BLOCKS = 64;

  /**
   * How many blocks are on their way to a member; more would all arrive late instead of in turn.
   */
  private static final int WINDOW = 3;

  private record Block(String name, ByteBuffer bytes) {}

  private final Agent agent;
  private final Peers peers;
  private final int length;
  private final ByteBuffer sum;
  private final ByteBuffer contributions;
  private final Wire wire;
  private final ByteBuffer sentHalves;
  private final ByteBuffer gotHalves;

  private long generation = -1;
  private int rank;
  private int members = 1;
  private long step = ANY;
  private int blockFloats;
  private boolean[][] contributed = new boolean[0][0];
  private boolean[][] summed = new boolean[0][0];
  private List<Deque<Block>> waiting = deques(0);
  private int[] underway = new int[0];
  private int unsent;
  private long lastBegan;

  /** Prepares to sum vectors of this length. */
  public Exchange(Agent agent, Peers peers, int length, Wire wire) {
    this.agent = agent;
    this.peers = peers;
    this.length = length;
    sum = Floats.allocate(length);
    contributions = Floats.allocate(length);
    this.wire = wire;
    int halves = wire == Wire.FP16 ? (length + 1) / 2 : 0;
    sentHalves = Floats.allocate(halves);
    gotHalves = Floats.allocate(halves);
  }

  private static List<Deque<Block>> deques(int count) {
    return Stream.<Deque<Block>>generate(ArrayDeque::new).limit(count).toList();
  }

  /** Returns the sum, once {@link #run} has returned. */
  public FloatBuffer sum() {
    return sum.asFloatBuffer();
  }

  /** Prepares for a generation; nothing of an older one may be under way. */
  public synchronized void form(long newGeneration, int newRank, int newMembers) {
    generation = newGeneration;
    rank = newRank;
    members = newMembers;
    int largest = (length + members - 1) / members;
    blockFloats = Math.max(LEAST_BLOCK, (largest + MOST_BLOCKS - 1) / MOST_BLOCKS);
    waiting = deques(members);
    underway = new int[members];
    unsent = 0;
    clear();
    step = ANY;
  }

  /** Expects the contributions to this step; those to the first of a generation may be here. */
  public synchronized void expect(long newStep) {
    if (step != ANY) {
      clear();
    }
    step = newStep;
  }

  private void clear() {
    contributed = new boolean[members][blocks(rank)];
    summed = new boolean[members][];
    Arrays.setAll(summed, part -> new boolean[blocks(part)]);
    lastBegan = 0;
  }

  private int begin(int part) {
    return (int) ((long) length * part / members);
  }

  private int floats(int part) {
    return begin(part + 1) - begin(part);
  }

  private int blocks(int part) {
    return (floats(part) + blockFloats - 1) / blockFloats;
  }

  /** Returns a block of a part, in a vector of floats where that part begins at this one. */
  private ByteBuffer block(ByteBuffer vector, int at, int part, int block) {
    return block(vector, at, part, block, Float.BYTES);
  }

  private ByteBuffer block(ByteBuffer vector, int at, int part, int block, int width) {
    int from = block * blockFloats;
    int size = Math.min(blockFloats, floats(part) - from);
    return vector.slice((at + from) * width, size * width).order(ByteOrder.nativeOrder());
  }

  /** Returns where contributions of a member begin; this member's own have no place there. */
  private int slot(int from) {
    return (from < rank ? from : from - 1) * floats(rank);
  }

  private int width() {
    return wire == Wire.FP16 ? Short.BYTES : Float.BYTES;
  }

  /** Returns a block as it is sent. */
  private ByteBuffer outgoing(ByteBuffer vector, int part, int block) {
    ByteBuffer floats = block(vector, begin(part), part, block);
    if (wire == Wire.FP32) {
      return floats;
    }
    ByteBuffer halves = block(sentHalves, begin(part), part, block, Short.BYTES);
    Halves.narrow(floats.asFloatBuffer(), halves.asShortBuffer());
    return halves;
  }

  /** Returns where bytes of this name go. */
  public synchronized ByteBuffer[] place(long when, String name) throws IOException {
    String[] parts = name.split("/", -1);
    long of = Long.parseLong(parts[1]);
    int who = Integer.parseInt(parts[2]);
    int block = Integer.parseInt(parts[3]);
    if (when != generation || (of != step && step != ANY)) {
      throw new IOException("Step %d is not being exchanged, but %d.".formatted(of, step));
    }
    if (parts[0].equals("c")) {
      if (block == 0) {
        lastBegan = System.nanoTime();
      }
      return new ByteBuffer[] {block(contributions, slot(who), rank, block, width())};
    }
    ByteBuffer into = wire == Wire.FP16 ? gotHalves : sum;
    return new ByteBuffer[] {block(into, begin(who), who, block, width())};
  }

  /** Notes that bytes of this name have come. */
  public synchronized void received(long when, String name) {
    String[] parts = name.split("/", -1);
    if (when == generation && (step == ANY || Long.parseLong(parts[1]) == step)) {
      boolean[][] which = parts[0].equals("c") ? contributed : summed;
      which[Integer.parseInt(parts[2])][Integer.parseInt(parts[3])] = true;
    }
  }

  /**
   * Sums the members' vectors.
   *
   * @return when the last of the others began to send, 0 if there are none
   */
  public long run(ByteBuffer mine, Duration atMost)
      throws GenerationOver, PeerLost, InterruptedException {
    for (int turn = 1; turn < members; turn++) {
      int part = (rank + turn) % members;
      for (int block = 0; block < blocks(part); block++) {
        send(part, "c/" + step + "/" + rank + "/" + block, outgoing(mine, part, block));
      }
    }
    boolean[] done = new boolean[blocks(rank)];
    int open = done.length;
    while (open > 0) {
      int next = await(atMost, done);
      reduce(mine, next);
      done[next] = true;
      open--;
      ByteBuffer result = outgoing(sum, rank, next);
      for (int turn = 1; turn < members; turn++) {
        send((rank + turn) % members, "s/" + step + "/" + rank + "/" + next, result);
      }
    }
    boolean all =
        agent.await(
            generation,
            atMost,
            () -> {
              peers.check();
              return complete();
            });
    if (!all) {
      throw peers.late("The sums did not arrive in time.");
    }
    if (wire == Wire.FP16 && members > 1) {
      widen();
    }
    return lastBegan;
  }

  /** Waits for a block of which all contributions are here, and that has not been summed. */
  private int await(Duration atMost, boolean[] done)
      throws GenerationOver, PeerLost, InterruptedException {
    int[] found = {-1};
    boolean ready =
        agent.await(
            generation,
            atMost,
            () -> {
              peers.check();
              found[0] = ready(done);
              return found[0] >= 0;
            });
    if (!ready) {
      throw peers.late("The contributions did not arrive in time.");
    }
    return found[0];
  }

  private synchronized int ready(boolean[] done) {
    for (int block = 0; block < done.length; block++) {
      boolean whole = !done[block];
      for (int from = 0; whole && from < members; from++) {
        whole = from == rank || contributed[from][block];
      }
      if (whole) {
        return block;
      }
    }
    return -1;
  }

  private void reduce(ByteBuffer mine, int block) {
    FloatBuffer[] parts = new FloatBuffer[members];
    for (int from = 0; from < members; from++) {
      parts[from] =
          from == rank
              ? block(mine, begin(rank), rank, block).asFloatBuffer()
              : contribution(from, block);
    }
    Floats.sum(block(sum, begin(rank), rank, block).asFloatBuffer(), parts);
  }

  private FloatBuffer contribution(int from, int block) {
    ByteBuffer came = block(contributions, slot(from), rank, block, width());
    if (wire == Wire.FP32) {
      return came.asFloatBuffer();
    }
    FloatBuffer wide = FloatBuffer.allocate(came.remaining() / Short.BYTES);
    Halves.widen(came.asShortBuffer(), wide);
    return wide;
  }

  /** Makes floats of the sums that came, and of this member's own as the others have it. */
  private void widen() {
    for (int part = 0; part < members; part++) {
      for (int block = 0; block < blocks(part); block++) {
        ByteBuffer from = part == rank ? sentHalves : gotHalves;
        Halves.widen(
            block(from, begin(part), part, block, Short.BYTES).asShortBuffer(),
            block(sum, begin(part), part, block).asFloatBuffer());
      }
    }
  }

  private synchronized boolean complete() {
    if (unsent > 0) {
      return false;
    }
    for (int part = 0; part < members; part++) {
      for (boolean here : summed[part]) {
        if (!here && part != rank) {
          return false;
        }
      }
    }
    return true;
  }

  private synchronized void send(int to, String name, ByteBuffer bytes) {
    unsent++;
    waiting.get(to).add(new Block(name, bytes));
    sendNext(to);
  }

  private synchronized void sendNext(int to) {
    while (underway[to] < WINDOW && !waiting.get(to).isEmpty()) {
      Block next = waiting.get(to).remove();
      underway[to]++;
      long when = generation;
      peers.send(to, next.name, next.bytes, () -> sent(to, when));
    }
  }

  private synchronized void sent(int to, long when) {
    if (when == generation) {
      underway[to]--;
      unsent--;
      sendNext(to);
    }
  }
}
