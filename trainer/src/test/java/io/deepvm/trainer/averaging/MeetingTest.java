package io.deepvm.trainer.averaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.trainer.averaging.Word.Hello;
import io.deepvm.trainer.averaging.Word.Part;
import io.deepvm.trainer.averaging.Word.Share;
import io.deepvm.trainer.member.Totals;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MeetingTest {

  private static final long NOW = 9;

  private static Totals totals(long step, long generation) {
    return new Totals(step, step * 64, 0, 1, generation);
  }

  private static Hello hello(int rank, @Nullable Totals totals, long whole, Integer... held) {
    return new Hello(NOW, rank, totals, new Share(List.of(held), 0, 0), whole);
  }

  private static Meeting meet(Hello... hellos) {
    Map<Integer, Hello> all = new TreeMap<>();
    for (Hello hello : hellos) {
      all.put(hello.rank(), hello);
    }
    return new Meeting(all);
  }

  @Test
  void whatIsHeldIsKeptAndNewcomersFetch() {
    Meeting meeting =
        meet(hello(0, null, -1), hello(1, totals(5, 3), -1, 0, 2), hello(2, totals(5, 3), -1, 1));
    assertThat(meeting.source()).isEqualTo(1);
    assertThat(meeting.parts()).containsExactly(Part.FETCH, Part.KEEP, Part.KEEP);
    assertThat(meeting.held()).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void aStepThatOneHasTakenIsTakenByAllWhoHoldItsSum() {
    Meeting meeting =
        meet(
            hello(0, totals(5, 3), 4, 0),
            hello(1, totals(6, 4), -1),
            hello(2, totals(5, 3), -1, 1));
    assertThat(meeting.totals().step()).isEqualTo(6);
    assertThat(meeting.parts()).containsExactly(Part.APPLY, Part.KEEP, Part.FETCH);
    assertThat(meeting.held()).isEmpty();
  }

  @Test
  void aSumOfAnotherGenerationIsNotTheOneThatWasTaken() {
    Meeting meeting = meet(hello(0, totals(5, 3), 4, 0), hello(1, totals(6, 5), -1));
    assertThat(meeting.parts()).containsExactly(Part.FETCH, Part.KEEP);
  }

  @Test
  void theStateOfTheNewerGenerationCountsThoughItIsBehind() {
    Meeting meeting = meet(hello(0, totals(8, 4), -1), hello(1, totals(7, 5), -1, 3));
    assertThat(meeting.totals().step()).isEqualTo(7);
    assertThat(meeting.parts()).containsExactly(Part.FETCH, Part.KEEP);
  }

  @Test
  void whoComesBackWithWhatOthersDidAgainDropsIt() {
    Meeting meeting = meet(hello(0, totals(5, 3), -1, 0, 1), hello(1, totals(5, 3), -1, 1, 2));
    assertThat(meeting.parts()).containsExactly(Part.KEEP, Part.DROP);
    assertThat(meeting.held()).containsExactlyInAnyOrder(0, 1);
  }

  @Test
  void withoutAnyStateThereIsNoSource() {
    assertThat(meet(hello(0, null, -1), hello(1, null, -1)).source()).isNegative();
  }
}
