package io.deepvm.trainer.averaging;

import io.deepvm.trainer.job.TrainingJob.Wire;
import io.deepvm.trainer.member.GenerationOver;
import io.deepvm.trainer.member.PeerLost;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.member.Session;
import io.deepvm.trainer.vector.Floats;
import io.deepvm.trainer.vector.Halves;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Sums a vector over all members so that each ends with the same bits: first within each place in
 * the order of ranks, then over the places, see {@link Layout}. Blocks go on by themselves as they
 * arrive, on the threads that bring them, so the training thread may compute meanwhile. The last
 * contribution to a block is summed piece by piece while it comes and is still in the cache.
 */
public final class GradientExchange {

  /** The step before rank 0 has said which is the first of a generation. */
  private static final long ANY = -1;

  private static final int BLOCK = 1 << 19;

  private static final String CONTRIBUTION = "c";
  private static final String SUM = "s";

  private final Peers peers;
  private final int length;
  private final ByteBuffer sum;
  private final Wire wire;

  // Of a generation.
  private long generation = -1;
  private int rank;
  private Layout layout;

  /** What others contribute to the blocks that this member holds. */
  private ByteBuffer contributions = Floats.allocate(0);

  /** Where in it the contribution of a member to a block lies. */
  private int[][] slots = new int[0][0];

  /** With fp16, the blocks as they are sent and as they come. */
  private ByteBuffer sentHalves = Floats.allocate(0);

  private ByteBuffer gotHalves = Floats.allocate(0);

  private SendQueues queues;

  // Of a step.
  private long step = ANY;
  private ByteBuffer mine = Floats.allocate(0);
  private boolean begun;
  private boolean[][] here = new boolean[0][0];
  private int[] missing = new int[0];
  private boolean[][] placed = new boolean[0][0];

  /** Whose contribution comes to where the block's sum will be; -1 if nobody's. */
  private int[] streamed = new int[0];

  private int unsummed;
  private boolean[] sending = new boolean[0];
  private long lastBegan;

  /** Prepares to sum vectors of this length. */
  public GradientExchange(Peers peers, int length, Wire wire) {
    this.peers = peers;
    this.length = length;
    sum = Floats.allocate(length);
    this.wire = wire;
    layout = new Layout(length, List.of(""), BLOCK);
    queues = new SendQueues(peers, 1);
  }

  /** Returns the sum that {@link #finish} waited for; it stays until the next one is begun. */
  public FloatBuffer sum() {
    return sum.asFloatBuffer();
  }

  /**
   * Prepares for a generation; nothing of an older one may be under way.
   *
   * @param places the members', by rank; all the same for a full mesh
   */
  public synchronized void form(long newGeneration, int newRank, List<String> places) {
    generation = newGeneration;
    rank = newRank;
    layout = new Layout(length, places, BLOCK);
    queues.clear();
    queues = new SendQueues(peers, places.size());
    slots = new int[places.size()][layout.blocks()];
    int next = 0;
    for (int block = 0; block < layout.blocks(); block++) {
      for (int from : contributors(block)) {
        slots[from][block] = next++;
      }
    }
    contributions = atLeast(next, contributions);
    if (wire == Wire.FP16) {
      sentHalves = atLeast(layout.blocks(), sentHalves);
      gotHalves = atLeast(layout.blocks(), gotHalves);
    }
    clear();
    step = ANY;
  }

  /** Returns the buffer, or a new one if this many blocks have no room in it. */
  private ByteBuffer atLeast(int blocks, ByteBuffer buffer) {
    int needed = Math.multiplyExact(blocks, bytes(layout.longest()));
    return buffer.capacity() >= needed
        ? buffer
        : ByteBuffer.allocateDirect(needed).order(ByteOrder.nativeOrder());
  }

  /** Returns how many bytes this many floats are when sent. */
  private int bytes(int floats) {
    return wire == Wire.FP16 ? Halves.bytes(floats) : floats * Float.BYTES;
  }

  /** Returns who sends this member something to be summed into a block. */
  private List<Integer> contributors(int block) {
    if (layout.holder(rank, block) != rank) {
      return List.of();
    }
    Stream<Integer> near = layout.mates(rank).stream();
    Stream<Integer> far =
        layout.owner(block) == rank ? layout.holders(block).stream() : Stream.of();
    return Stream.concat(near, far).filter(from -> from != rank).toList();
  }

  /** Expects the contributions to this step; those to the first of a generation may be here. */
  public synchronized void expect(long newStep) {
    if (step != ANY) {
      clear();
    }
    step = newStep;
  }

  private void clear() {
    begun = false;
    here = new boolean[slots.length][layout.blocks()];
    sending = new boolean[slots.length];
    placed = new boolean[slots.length][layout.blocks()];
    streamed = new int[layout.blocks()];
    Arrays.fill(streamed, -1);
    missing = new int[layout.blocks()];
    Arrays.setAll(missing, block -> contributors(block).size());
    unsummed = layout.blocks();
    lastBegan = 0;
  }

  private ByteBuffer block(ByteBuffer vector, int block) {
    return vector
        .slice(layout.begin(block) * Float.BYTES, layout.floats(block) * Float.BYTES)
        .order(ByteOrder.nativeOrder());
  }

  /** Returns the place of a block in a row of blocks as they are sent. */
  private ByteBuffer cell(ByteBuffer row, int index, int block) {
    return row.slice(index * bytes(layout.longest()), bytes(layout.floats(block)))
        .order(ByteOrder.nativeOrder());
  }

  private ByteBuffer slot(int from, int block) {
    return streamed[block] == from
        ? block(sum, block)
        : cell(contributions, slots[from][block], block);
  }

  /** Returns where a block of the sum comes to. */
  private ByteBuffer incoming(int block) {
    return wire == Wire.FP16 ? cell(gotHalves, block, block) : block(sum, block);
  }

  /** Returns a block as it is sent. */
  private ByteBuffer outgoing(ByteBuffer vector, int block) {
    ByteBuffer floats = block(vector, block);
    if (wire == Wire.FP32) {
      return floats;
    }
    ByteBuffer halves = cell(sentHalves, block, block);
    Halves.narrow(floats.asFloatBuffer(), halves.asShortBuffer());
    return halves;
  }

  /** Returns where bytes of this name go. */
  public synchronized ByteBuffer[] place(long when, String name) throws IOException {
    String[] parts = name.split("/", -1);
    long of = Long.parseLong(parts[1]);
    int from = Integer.parseInt(parts[2]);
    int block = Integer.parseInt(parts[3]);
    if (when != generation || (of != step && step != ANY)) {
      throw new IOException("Step %d is not being exchanged, but %d.".formatted(of, step));
    }
    if (parts[0].equals(CONTRIBUTION)) {
      if (!sending[from]) {
        sending[from] = true;
        lastBegan = System.nanoTime();
      }
      boolean last = begun && missing[block] == 1 && !placed[from][block];
      placed[from][block] = true;
      if (last && wire == Wire.FP32 && isFirstSummed(from)) {
        // From here on nobody needs the sum of the step before.
        streamed[block] = from;
      }
      return new ByteBuffer[] {slot(from, block)};
    }
    return new ByteBuffer[] {incoming(block)};
  }

  /** Whether nothing else is summed before what this member contributes. */
  private boolean isFirstSummed(int from) {
    List<Integer> mates = layout.mates(rank);
    return mates.size() == 1 || mates.contains(from);
  }

  /** Sums a piece of a block's last contribution. */
  public void arrived(long when, String name, long offset, int bytes) {
    String[] parts = name.split("/", -1);
    int from = Integer.parseInt(parts[2]);
    int block = Integer.parseInt(parts[3]);
    synchronized (this) {
      boolean now = when == generation && Long.parseLong(parts[1]) == step;
      if (!now || !parts[0].equals(CONTRIBUTION) || streamed[block] != from) {
        return;
      }
    }
    // Only floats are summed while they come, halves are not.
    add(block, (int) offset / Float.BYTES, bytes / Float.BYTES);
  }

  /** Goes on with a block that has come. */
  public void received(long when, String name) {
    String[] parts = name.split("/", -1);
    int from = Integer.parseInt(parts[2]);
    int block = Integer.parseInt(parts[3]);
    boolean contribution = parts[0].equals(CONTRIBUTION);
    synchronized (this) {
      boolean late = when != generation || (step != ANY && Long.parseLong(parts[1]) != step);
      if (late || here[from][block]) {
        return;
      }
      here[from][block] = true;
      if (contribution) {
        missing[block]--;
        if (missing[block] > 0 || !begun) {
          return;
        }
      }
    }
    if (contribution) {
      reduce(block);
    } else {
      take(block);
    }
  }

  /** Begins to sum the members' vectors; this one must stay as it is until the end. */
  public void begin(ByteBuffer vector) {
    boolean[] ready = new boolean[layout.blocks()];
    synchronized (this) {
      mine = vector;
      begun = true;
      for (int block = 0; block < ready.length; block++) {
        ready[block] = missing[block] == 0;
      }
    }
    // Contributions first: with them others can go on, for sums they only wait.
    for (int block = 0; block < ready.length; block++) {
      int holder = layout.holder(rank, block);
      if (holder != rank) {
        send(holder, CONTRIBUTION, block, outgoing(vector, block));
      }
    }
    for (int block = 0; block < ready.length; block++) {
      if (ready[block] && layout.holder(rank, block) == rank) {
        reduce(block);
      }
    }
  }

  /**
   * Waits until the whole sum is here and everything is sent.
   *
   * @return when the last of the others began to send, 0 if there are none
   */
  public long finish(Session session) throws GenerationOver, PeerLost, InterruptedException {
    session.await("The sums did not arrive in time.", this::complete);
    return lastBegan;
  }

  private synchronized boolean complete() {
    return unsummed == 0 && queues.isEmpty();
  }

  /** Sums a block of which all contributions are here, and sends it on. */
  private void reduce(int block) {
    int owner = layout.owner(block);
    boolean alone = layout.mates(rank).size() == 1;
    if (owner != rank && alone) {
      send(owner, CONTRIBUTION, block, outgoing(mine, block));
      return;
    }
    if (streamed[block] < 0) {
      add(block, 0, layout.floats(block));
    }
    ByteBuffer bytes = outgoing(sum, block);
    if (owner != rank) {
      send(owner, CONTRIBUTION, block, bytes);
      return;
    }
    if (wire == Wire.FP16) {
      // The others have the rounded sum, so this member takes it too.
      Halves.widen(bytes.asShortBuffer(), block(sum, block).asFloatBuffer());
    }
    give(Stream.concat(layout.mates(rank).stream(), layout.holders(block).stream()), block, bytes);
  }

  /** Sums this many floats of a block from this one on. */
  private void add(int block, int at, int count) {
    FloatBuffer result = block(sum, block).asFloatBuffer().slice(at, count);
    FloatBuffer own = block(mine, block).asFloatBuffer().slice(at, count);
    List<Integer> mates = layout.mates(rank);
    List<Integer> holders = layout.holders(block);
    boolean far = layout.owner(block) == rank && holders.size() > 1;
    if (mates.size() > 1 || !far) {
      Floats.sum(result, operands(mates, own, block, at));
      own = result;
    }
    if (far) {
      Floats.sum(result, operands(holders, own, block, at));
    }
  }

  private FloatBuffer[] operands(List<Integer> members, FloatBuffer own, int block, int at) {
    return members.stream()
        .map(from -> from == rank ? own : contribution(from, block, at, own.limit()))
        .toArray(FloatBuffer[]::new);
  }

  private FloatBuffer contribution(int from, int block, int at, int count) {
    ByteBuffer came = slot(from, block);
    if (wire == Wire.FP32) {
      return came.asFloatBuffer().slice(at, count);
    }
    FloatBuffer wide = FloatBuffer.allocate(count);
    Halves.widen(came.asShortBuffer(), wide);
    return wide;
  }

  /** Takes a block of the sum that has come, and gives it to the others of the place. */
  private void take(int block) {
    ByteBuffer bytes = incoming(block);
    if (wire == Wire.FP16) {
      Halves.widen(bytes.asShortBuffer(), block(sum, block).asFloatBuffer());
    }
    boolean holder = layout.holder(rank, block) == rank;
    give(holder ? layout.mates(rank).stream() : Stream.of(), block, bytes);
  }

  private synchronized void give(Stream<Integer> to, int block, ByteBuffer bytes) {
    to.filter(other -> other != rank).forEach(other -> send(other, SUM, block, bytes));
    unsummed--;
  }

  private synchronized void send(int to, String kind, int block, ByteBuffer bytes) {
    String name = kind + "/" + step + "/" + rank + "/" + block;
    queues.send(to, new SendQueues.Block(name, bytes, kind.equals(CONTRIBUTION)));
  }
}
