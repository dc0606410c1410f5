package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.checkpoint.format.Version;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WithdrawalsTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  private static void add(Withdrawals withdrawals, long step) {
    withdrawals.add("disk", new Version("job", 1, step), "on purpose");
  }

  @Test
  void closingFirstDoesWhatWaits() throws Exception {
    SlowAssembly assembly = new SlowAssembly();
    Withdrawals withdrawals = new Withdrawals(assembly, 3);
    withdrawals.start();
    add(withdrawals, 1);
    add(withdrawals, 2);
    assembly.awaitCall();
    assembly.open();
    withdrawals.close(LONG);
    assertThat(assembly.withdrawn()).containsExactly(1L, 2L);
  }

  @Test
  void closingLeavesWhatHangs() throws Exception {
    SlowAssembly assembly = new SlowAssembly();
    Withdrawals withdrawals = new Withdrawals(assembly, 3);
    withdrawals.start();
    add(withdrawals, 1);
    add(withdrawals, 2);
    assembly.awaitCall();
    withdrawals.close(Duration.ZERO);
    // the call under way is interrupted, the other never begins
    assembly.awaitInterruption();
    assertThat(assembly.withdrawn()).isEmpty();
    add(withdrawals, 3);
  }

  @Test
  void whatDoesNotFitIsLeftOutTheOldestFirst() throws Exception {
    SlowAssembly assembly = new SlowAssembly();
    Withdrawals withdrawals = new Withdrawals(assembly, 3);
    withdrawals.start();
    add(withdrawals, 0);
    assembly.awaitCall();
    for (long step = 1; step <= Withdrawals.MOST + 2; step++) {
      add(withdrawals, step);
    }
    assembly.open();
    withdrawals.close(LONG);
    assertThat(assembly.withdrawn())
        .containsExactlyElementsOf(
            LongStream.concat(LongStream.of(0), LongStream.rangeClosed(3, Withdrawals.MOST + 2))
                .boxed()
                .toList());
  }
}
