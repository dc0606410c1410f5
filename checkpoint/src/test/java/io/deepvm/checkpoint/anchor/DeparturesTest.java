package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.transport.Source;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class DeparturesTest {

  @Test
  void listsThatNobodyReadsAreBounded() throws IOException {
    Departures departures = new Departures(1_000);
    Source first = departures.source(() -> new byte[600]);
    assertThat(first.length()).isEqualTo(600);
    assertThatThrownBy(() -> departures.source(() -> new byte[600]))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Too many lists are on their way");
    first.close();
    first.close();
    Source second = departures.source(() -> new byte[600]);
    assertThatThrownBy(() -> departures.source(() -> new byte[600]))
        .isInstanceOf(IOException.class);
    assertThat(departures.source(() -> new byte[400]).length()).isEqualTo(400);
    second.close();
  }
}
