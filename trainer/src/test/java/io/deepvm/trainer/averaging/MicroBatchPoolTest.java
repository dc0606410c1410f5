package io.deepvm.trainer.averaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MicroBatchPoolTest {

  private long now;

  private MicroBatchPool pool(int members, int microBatches, Tempo tempo) {
    return new MicroBatchPool(1, 7, members, microBatches, Set.of(), tempo, () -> now);
  }

  private static int take(MicroBatchPool pool, int rank, int count) {
    return pool.take(new Word.Take(1, 7, rank, count));
  }

  /** A member that asks, computes and asks for the next when it begins. */
  private static final class Player {
    private final int rank;
    private final long nanos;
    private long time;
    private int asked;
    private int done;
    private int holds;

    Player(int rank, long nanos, long time) {
      this.rank = rank;
      this.nanos = nanos;
      this.time = time;
    }
  }

  /** Plays a step and returns when each member is done, from its beginning on. */
  private long[] play(MicroBatchPool pool, long[] nanos) {
    long begin = now;
    PriorityQueue<Player> next =
        new PriorityQueue<>(Comparator.comparingLong((Player player) -> player.time));
    for (int rank = 0; rank < nanos.length; rank++) {
      next.add(new Player(rank, nanos[rank], now));
    }
    long[] ends = new long[nanos.length];
    int done = 0;
    while (!next.isEmpty()) {
      Player player = next.remove();
      now = player.time;
      if (player.asked == 0) {
        player.holds = take(pool, player.rank, player.asked++);
      }
      if (player.holds < 0) {
        ends[player.rank] = now - begin;
        done += player.done;
        continue;
      }
      player.holds = take(pool, player.rank, player.asked++);
      player.done++;
      player.time += player.nanos;
      next.add(player);
    }
    assertThat(done).isEqualTo(24);
    return ends;
  }

  /** The earliest moment at which so many can be done. */
  private static long earliest(int microBatches, long[] nanos) {
    PriorityQueue<long[]> next =
        new PriorityQueue<>(Comparator.comparingLong((long[] end) -> end[0]));
    Arrays.stream(nanos).forEach(each -> next.add(new long[] {each, each}));
    long last = 0;
    for (int i = 0; i < microBatches; i++) {
      long[] end = next.remove();
      last = end[0];
      next.add(new long[] {end[0] + end[1], end[1]});
    }
    return last;
  }

  private long lastOf(long... nanos) {
    Tempo tempo = new Tempo(nanos.length);
    for (int rank = 0; rank < nanos.length; rank++) {
      tempo.note(rank, nanos[rank]);
    }
    return Arrays.stream(play(pool(nanos.length, 24, tempo), nanos)).max().orElseThrow();
  }

  @Test
  void aSlowMemberDoesNotKeepTheOthersWaiting() {
    assertThat(lastOf(100, 100, 100, 100, 200)).isEqualTo(600);
    assertThat(lastOf(100, 100, 200, 400)).isEqualTo(900);
    assertThat(lastOf(100, 5000)).isEqualTo(2400);
  }

  @Test
  void theLastIsDoneAsEarlyAsItCanBe() {
    Random random = new Random(5);
    for (int round = 0; round < 500; round++) {
      long[] nanos = random.longs(1 + random.nextInt(6), 50, 1000).toArray();
      assertThat(lastOf(nanos)).as(Arrays.toString(nanos)).isEqualTo(earliest(24, nanos));
    }
  }

  @Test
  void howLongMembersTakeIsLearntFromWhenTheyAsk() {
    long[] nanos = {100, 1300};
    Tempo tempo = new Tempo(2);
    long[] first = play(pool(2, 24, tempo), nanos);
    assertThat(tempo.nanos(0)).isEqualTo(100);
    assertThat(tempo.nanos(1)).isEqualTo(1300);
    long[] second = play(pool(2, 24, tempo), nanos);
    assertThat(first[1]).isEqualTo(2600);
    assertThat(second[1]).isEqualTo(1300);
  }

  @Test
  void theSameIsGivenAgainWhenAskedAgain() {
    MicroBatchPool pool = pool(2, 3, new Tempo(2));
    assertThat(List.of(take(pool, 0, 0), take(pool, 1, 0), take(pool, 0, 0), take(pool, 0, 1)))
        .containsExactly(0, 1, 0, 2);
    assertThat(take(pool, 1, 1)).isEqualTo(-1);
  }

  @Test
  void whatIsHeldIsNotHandedOut() {
    MicroBatchPool pool = new MicroBatchPool(1, 7, 1, 3, Set.of(1), new Tempo(1), () -> now);
    assertThat(List.of(take(pool, 0, 1), take(pool, 0, 2), take(pool, 0, 3)))
        .containsExactly(0, 2, -1);
  }

  @Test
  void anotherStepIsRefused() {
    assertThatThrownBy(() -> pool(1, 1, new Tempo(1)).take(new Word.Take(1, 8, 0, 0)))
        .isInstanceOf(IllegalStateException.class);
  }
}
