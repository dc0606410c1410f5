package io.deepvm.places.aws.fake;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Checks signatures of version 4 by the documents, apart from the library that makes them. */
final class FakeSignature {

  private static final Pattern FORM =
      Pattern.compile(
          "AWS4-HMAC-SHA256 Credential=([^/]+)/(\\d{8})/([^/]+)/([^/]+)/aws4_request,"
              + "\\s*SignedHeaders=([^,]+),\\s*Signature=([0-9a-f]{64})");

  private FakeSignature() {}

  /**
   * Whether a POST to / was signed with these keys.
   *
   * @param header returns the value of a header; empty if there is none
   */
  static boolean isOf(
      String accessKey, String secretKey, Function<String, String> header, byte[] body) {
    Matcher matcher = FORM.matcher(header.apply("Authorization"));
    if (!matcher.matches() || !matcher.group(1).equals(accessKey)) {
      return false;
    }
    List<String> signed = List.of(matcher.group(5).split(";", -1));
    StringBuilder canonical = new StringBuilder("POST\n/\n\n");
    for (String name : signed) {
      canonical.append(name).append(':').append(header.apply(name).strip()).append('\n');
    }
    canonical.append('\n').append(matcher.group(5)).append('\n').append(hex(sha256(body)));
    String scope =
        "%s/%s/%s/aws4_request".formatted(matcher.group(2), matcher.group(3), matcher.group(4));
    String toSign =
        "AWS4-HMAC-SHA256\n%s\n%s\n%s"
            .formatted(
                header.apply("X-Amz-Date"),
                scope,
                hex(sha256(canonical.toString().getBytes(StandardCharsets.UTF_8))));
    byte[] key = ("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8);
    for (String part : scope.split("/", -1)) {
      key = hmac(key, part);
    }
    return hex(hmac(key, toSign)).equals(matcher.group(6).toLowerCase(Locale.ROOT));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
