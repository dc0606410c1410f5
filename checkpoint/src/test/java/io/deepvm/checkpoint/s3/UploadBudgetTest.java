package io.deepvm.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class UploadBudgetTest {

  @Test
  @Timeout(30)
  void memoryThatRanOutIsGivenBack() throws Exception {
    UploadBudget budget = new UploadBudget(new DataSize(Integer.MAX_VALUE));
    // no machine has an array of this length
    assertThatThrownBy(() -> budget.allocate(Integer.MAX_VALUE))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(budget.allocate(1_000)).hasSize(1_000);
  }
}
