package io.deepvm.places.notice;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The session token that AWS and Alibaba want with each question; fetched again when refused. */
final class SessionToken {

  private static final String LIFE_SECONDS = "21600";

  private final MetadataService service;
  private final String lifeHeader;
  private final String tokenHeader;
  private @Nullable String token;

  /**
   * Makes it without a token.
   *
   * @param prefix of the two headers
   */
  SessionToken(MetadataService service, String prefix) {
    this.service = service;
    this.lifeHeader = prefix + "-token-ttl-seconds";
    this.tokenHeader = prefix + "-token";
  }

  /** Asks with the token, and once more with a new one if that is refused. */
  MetadataService.Answer get(String path) throws IOException {
    if (token == null) {
      token = fresh();
    }
    MetadataService.Answer answer = service.get(path, Map.of(tokenHeader, token));
    if (answer.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
      token = fresh();
      answer = service.get(path, Map.of(tokenHeader, token));
    }
    return answer;
  }

  private String fresh() throws IOException {
    String text = service.put("/latest/api/token", Map.of(lifeHeader, LIFE_SECONDS)).good();
    // It goes into a header, so nothing but plain characters may be in it.
    if (!text.matches("[\\x21-\\x7e]{1,4096}")) {
      throw new IOException("the metadata service gave no token");
    }
    return text;
  }
}
