package io.deepvm.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.bench.chaos.Chaos;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointChaosIT {

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  @Timeout(300)
  void nothingDurableIsLostWhateverIsKilledHoweverManySave(int writers) throws Exception {
    Consumer<String> out = System.out::println;
    Chaos.Count count;
    try (Chaos chaos = new Chaos(folder, 20261115, writers, out)) {
      count = chaos.run(5);
    }
    assertThat(count.restored()).isPositive();
    assertThat(count.toString())
        .isEqualTo("kills=5 restored=%d lost=0 torn=0 stopped=0".formatted(count.restored()));
  }
}
