package io.deepvm.trainer.averaging;

import io.deepvm.base.BadInput;
import io.deepvm.trainer.member.ModelState;
import io.deepvm.trainer.member.Totals;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The messages that members exchange in a generation. Rank 0 collects greetings and sums and hands
 * out micro-batches; the others receive its decisions.
 */
final class Rendezvous {

  private static final byte[] NOTHING = new byte[0];

  private final int microBatches;
  private final ModelState state;
  private final Agreement agreement = new Agreement();
  private final TreeMap<Long, Map<Integer, Word.Hello>> hellos = new TreeMap<>();
  private final Map<Long, MicroBatchPool> pools = new HashMap<>();
  private long generation = -1;
  private int members;
  private Tempo tempo = new Tempo(0);
  private Word.@Nullable Start start;

  /** Prepares for steps of this many micro-batches; the state answers whether it is still there. */
  Rendezvous(int microBatches, ModelState state) {
    this.microBatches = microBatches;
    this.state = state;
  }

  /** Forgets all that belongs to older generations. */
  synchronized void form(long newGeneration, int memberCount) {
    generation = newGeneration;
    members = memberCount;
    hellos.headMap(generation).clear();
    pools.clear();
    tempo = new Tempo(members);
    start = null;
    agreement.form();
  }

  /** Returns the greetings that rank 0 has received, by rank. */
  synchronized Map<Integer, Word.Hello> hellos() {
    return new TreeMap<>(hellos.getOrDefault(generation, Map.of()));
  }

  /** Returns where rank 0 starts the generation, if that has come. */
  synchronized Word.@Nullable Start start() {
    return start;
  }

  /** Collects at rank 0 the members that hold the sum of this step. */
  void begin(long step) {
    agreement.begin(step);
  }

  /** Returns the shares in the sum, of the members that have reported to hold it. */
  List<Word.Share> shares() {
    return agreement.shares();
  }

  /** Returns the totals after this many steps, if the last of them is committed. */
  @Nullable Totals committed(long steps) {
    return agreement.committed(steps);
  }

  /** Hands out the micro-batches of a step, except those that members hold already. */
  synchronized void handOut(long step, Set<Integer> held) {
    pools.put(
        step,
        new MicroBatchPool(generation, step, members, microBatches, held, tempo, System::nanoTime));
  }

  /** Hands out nothing more of a step. */
  synchronized void end(long step) {
    pools.remove(step);
  }

  /** Takes in a message and returns the answer. */
  synchronized byte[] answer(Word word) throws IOException {
    if (word instanceof Word.Hello hello) {
      // It may come before this process knows the generation.
      hellos.computeIfAbsent(hello.generation(), when -> new HashMap<>()).put(hello.rank(), hello);
      return NOTHING;
    }
    if (word.generation() != generation) {
      throw new BadInput(
          "Generation %d is over.".formatted(word.generation()), "Maybe wait for a newer one.");
    }
    if (word instanceof Word.Start said) {
      start = said;
    } else if (word instanceof Word.Take take) {
      MicroBatchPool from = pools.get(take.step());
      if (from == null) {
        throw new IOException("There is nothing to hand out.");
      }
      return Integer.toString(from.take(take)).getBytes(StandardCharsets.UTF_8);
    } else if (word instanceof Word.Whole said) {
      agreement.receive(said);
    } else if (word instanceof Word.Commit said) {
      agreement.receive(said);
    } else if (word instanceof Word.Check check) {
      Totals now = state.totals();
      boolean same = now != null && now.step() == check.step();
      return (same ? "1" : "0").getBytes(StandardCharsets.UTF_8);
    }
    return NOTHING;
  }
}
