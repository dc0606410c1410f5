package io.deepvm.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GenerationsTest {

  @Test
  void theNewestOfAGroupCounts() {
    Generations generations = new Generations();
    Name group = Name.of("resnet");
    assertThat(generations.newest(group)).isEqualTo(-1);
    assertThat(generations.raise(group, 3)).isEqualTo(3);
    assertThat(generations.raise(group, 2)).isEqualTo(3);
  }

  @Test
  void moreGroupsThanFitAreNoWallAndThoseForgottenAreAskedOfWhatIsDurable() {
    Map<Name, Long> disk = new HashMap<>();
    Generations generations = new Generations(group -> disk.getOrDefault(group, -1L));
    for (int i = 0; i < 25_000; i++) {
      Name group = Name.of("job-" + i);
      disk.put(group, 7L);
      assertThat(generations.raise(group, 7)).isEqualTo(7);
    }
    assertThat(generations.newest(Name.of("job-0"))).isEqualTo(7);
    assertThat(generations.raise(Name.of("job-1"), 6)).isEqualTo(7);
    assertThat(generations.newest(Name.of("unknown"))).isEqualTo(-1);
  }
}
