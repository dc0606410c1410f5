package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A secret that both sides of a connection must know; it is never sent and never printed. */
public final class Token {

  private static final int LEAST_BYTES = 16;

  private final SecretKeySpec key;

  private Token(byte[] secret) {
    if (secret.length < LEAST_BYTES) {
      throw new BadInput(
          "The token has " + secret.length + " bytes; at least " + LEAST_BYTES + " are needed.",
          "Maybe take 32 random bytes.");
    }
    key = new SecretKeySpec(secret, "HmacSHA256");
  }

  /** Returns the token of a copy of these bytes, at least 16 that nobody can guess. */
  public static Token of(byte[] secret) {
    return new Token(secret.clone());
  }

  /** Returns the token of this text in UTF-8. */
  public static Token of(String secret) {
    return new Token(secret.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the secret of connections from one role to another. It does not lead back to this token
   * or to the secrets of other roles.
   */
  public Token between(Role from, Role to) {
    String label = "DeepVM secret of " + from + " to " + to;
    return new Token(prove(label.getBytes(StandardCharsets.US_ASCII)));
  }

  /** Returns a copy of the secret itself, to be kept in a private file. */
  byte[] secret() {
    return key.getEncoded();
  }

  /** Returns the HMAC-SHA256 of the parts under this token. */
  byte[] prove(byte[]... parts) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      for (byte[] part : parts) {
        mac.update(part);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has HmacSHA256.", e);
    }
  }

  @Override
  public String toString() {
    return "Token[secret]";
  }
}
