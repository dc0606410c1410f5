package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {

  @Test
  void anAddressHasAHostAndAPort() {
    assertThat(HostPort.parse("10.0.0.5:7070")).isEqualTo(new HostPort("10.0.0.5", 7070));
    assertThat(HostPort.parse("[::1]:0")).isEqualTo(new HostPort("::1", 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "host", ":7070", "host:", "host:x", "host:-1", "host:65536"})
  void anyOtherTextIsRefusedWithAnExample(String text) {
    assertThatThrownBy(() -> HostPort.parse(text))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("'" + text + "' is not an address.");
  }
}
