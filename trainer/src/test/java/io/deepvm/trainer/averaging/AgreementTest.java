package io.deepvm.trainer.averaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.trainer.member.Totals;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgreementTest {

  private final Agreement agreement = new Agreement();

  private static Word.Whole whole(long step, int rank) {
    return new Word.Whole(1, step, rank, new Word.Share(List.of((int) step, rank), 0, 0));
  }

  private static Word.Commit commit(long step) {
    return new Word.Commit(1, new Totals(step, 0, 0, 0, 1));
  }

  @Test
  void thatTheSumOfAnEarlierStepIsHeldDoesNotCountForTheNext() {
    agreement.begin(4);
    agreement.receive(whole(4, 1));
    assertThat(agreement.shares()).hasSize(1);
    agreement.begin(5);
    agreement.receive(whole(4, 1));
    assertThat(agreement.shares()).isEmpty();
    agreement.receive(whole(5, 1));
    agreement.receive(whole(5, 0));
    agreement.receive(whole(4, 1));
    assertThat(agreement.shares()).containsExactly(whole(5, 0).share(), whole(5, 1).share());
  }

  @Test
  void anOlderCommitDoesNotReplaceANewerOne() {
    agreement.receive(commit(4));
    agreement.receive(commit(5));
    agreement.receive(commit(4));
    assertThat(agreement.committed(5)).isEqualTo(commit(5).totals());
    assertThat(agreement.committed(4)).isNull();
  }

  @Test
  void anotherGenerationBeginsWithNothingSaid() {
    agreement.begin(4);
    agreement.receive(whole(4, 0));
    agreement.receive(commit(9));
    agreement.form();
    agreement.receive(whole(4, 0));
    assertThat(agreement.shares()).isEmpty();
    assertThat(agreement.committed(9)).isNull();
    agreement.receive(commit(4));
    assertThat(agreement.committed(4)).isNotNull();
  }
}
