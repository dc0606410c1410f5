package io.deepvm.trainer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.transport.Security;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GivenTlsTest {

  private static Security apply(Map<String, String> environment) {
    return new GivenTls(environment).apply(Security.none());
  }

  @Test
  void withoutCertificatesNothingChanges() {
    Security none = Security.none();
    assertThat(new GivenTls(Map.of()).apply(none)).isSameAs(none);
  }

  @Test
  void halfACertificateIsRefused() {
    for (String half : new String[] {GivenTls.CERTIFICATE, GivenTls.KEY}) {
      assertThatThrownBy(() -> apply(Map.of(half, "some.pem")))
          .isInstanceOf(BadInput.class)
          .hasMessageContaining("belong together");
    }
  }

  @Test
  void filesThatAreNamedAreRead() {
    assertThatThrownBy(() -> apply(Map.of(GivenTls.AUTHORITY, "none.pem")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("'none.pem' cannot be read");
    assertThatThrownBy(
            () -> apply(Map.of(GivenTls.CERTIFICATE, "none.pem", GivenTls.KEY, "none.key")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("'none.pem' cannot be read");
  }
}
