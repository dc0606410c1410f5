package io.deepvm.trainer;

import io.deepvm.base.BadInput;
import io.deepvm.transport.Security;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The certificates that the environment names, for a member's connections to other members and to
 * anchors. Without any, each process makes its own.
 */
final class GivenTls implements UnaryOperator<Security> {

  static final String CERTIFICATE = "DEEPVM_TLS_CERT";
  static final String KEY = "DEEPVM_TLS_KEY";
  static final String AUTHORITY = "DEEPVM_TLS_CA";

  private final Map<String, String> environment;

  GivenTls(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public Security apply(Security security) {
    Security with = security;
    String certificate = environment.get(CERTIFICATE);
    String key = environment.get(KEY);
    if (certificate != null && key != null) {
      with = with.withCertificate(Path.of(certificate), Path.of(key));
    } else if (certificate != null || key != null) {
      throw new BadInput(
          CERTIFICATE + " and " + KEY + " belong together.", "Maybe set both, or neither.");
    }
    String authority = environment.get(AUTHORITY);
    return authority == null ? with : with.withAuthority(Path.of(authority));
  }
}
