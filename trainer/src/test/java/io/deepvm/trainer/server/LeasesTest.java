package io.deepvm.trainer.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.trainer.data.SampleOrder;
import io.deepvm.trainer.member.Totals;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LeasesTest {

  @Test
  void everyLeaseIsDoneOnceThoughWorkersVanish() {
    Random random = new Random(3);
    Leases leases = new Leases(200, 4, -1);
    leases.begin(Totals.NONE);
    List<Long> done = new ArrayList<>();
    while (!leases.finished()) {
      int worker = random.nextInt(5);
      long lease = leases.take(worker);
      if (random.nextInt(20) == 0) {
        leases.takeBack();
      } else if (lease >= 0 && leases.finish(worker, lease, 1)) {
        done.add(lease);
      }
    }
    assertThat(done).hasSize(200).doesNotHaveDuplicates();
    long ledger = 0;
    for (long position = 0; position < 800; position++) {
      ledger += SampleOrder.mix(position);
    }
    assertThat(leases.totals(1).ledger()).isEqualTo(ledger);
  }

  @Test
  void askingTwiceGivesOneLeaseAndTellingTwiceCountsOnce() {
    Leases leases = new Leases(10, 1, -1);
    leases.begin(Totals.NONE);
    long lease = leases.take(1);
    assertThat(leases.take(1)).isEqualTo(lease);
    assertThat(leases.finish(1, lease, 1)).isTrue();
    assertThat(leases.finish(1, lease, 1)).isFalse();
    assertThat(leases.done()).isEqualTo(1);
  }

  @Test
  void aPauseStillLetsWhatCameBackBeDone() {
    Leases leases = new Leases(10, 1, -1);
    leases.begin(Totals.NONE);
    long lease = leases.take(1);
    leases.takeBack();
    leases.pause(true);
    assertThat(leases.quiet()).isFalse();
    assertThat(leases.take(2)).isEqualTo(lease);
    assertThat(leases.finish(2, lease, 1)).isTrue();
    assertThat(leases.take(2)).isEqualTo(Call.Grant.WAIT);
    assertThat(leases.quiet()).isTrue();
  }

  @Test
  void withoutStalenessOneWorksAtATime() {
    Leases leases = new Leases(10, 1, 0);
    leases.begin(Totals.NONE);
    long lease = leases.take(1);
    assertThat(lease).isZero();
    assertThat(leases.take(2)).isEqualTo(Call.Grant.WAIT);
    leases.finish(1, lease, 1);
    assertThat(leases.take(2)).isEqualTo(1);
  }

  @Test
  void anUpdateIsAppliedOnce() {
    Applied applied = new Applied();
    applied.begin(3);
    assertThat(applied.add(2)).isFalse();
    assertThat(applied.add(4)).isTrue();
    assertThat(applied.add(3)).isTrue();
    assertThat(applied.add(4)).isFalse();
    assertThat(applied.count()).isEqualTo(5);
  }
}
