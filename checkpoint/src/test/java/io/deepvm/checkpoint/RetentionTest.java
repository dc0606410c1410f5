package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Version;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RetentionTest {

  private static List<Version> steps(long... steps) {
    return LongStream.of(steps).mapToObj(step -> new Version("job", 1, step)).toList();
  }

  @Test
  void theLastAndEveryNthStay() {
    assertThat(new Retention(2, 100).spare(steps(300, 50, 100, 120, 200, 250, 260, 310)))
        .containsExactlyElementsOf(steps(50, 120, 250, 260));
  }

  @Test
  void theOnlyOneStays() {
    assertThat(new Retention(1, 0).spare(steps(7))).isEmpty();
    assertThat(new Retention(1, 0).spare(List.of())).isEmpty();
    assertThatThrownBy(() -> new Retention(0, 10)).isInstanceOf(BadInput.class);
  }

  @Test
  void theNewestGenerationIsTheLast() {
    assertThat(
            new Retention(1, 0)
                .spare(List.of(new Version("job", 1, 900), new Version("job", 2, 10))))
        .containsExactly(new Version("job", 1, 900));
  }
}
