package io.deepvm.trainer.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SampleOrderProperties {

  @Property(tries = 200)
  void everyEpochHasEverySampleOnce(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 500) int size) {
    SampleOrder order = new SampleOrder(seed, size);
    for (long epoch = 0; epoch < 3; epoch++) {
      Set<Long> seen = new HashSet<>();
      for (int i = 0; i < size; i++) {
        long sample = order.sample(epoch * size + i);
        assertThat(sample).isBetween(0L, size - 1L);
        assertThat(seen.add(sample)).isTrue();
      }
    }
  }
}
