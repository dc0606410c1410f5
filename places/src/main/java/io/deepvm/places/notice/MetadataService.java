package io.deepvm.places.notice;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Small requests to the metadata service of a cloud, never through a proxy. */
final class MetadataService {

  /** The service is on the machine or next to it. */
  private static final Duration CONNECT = Duration.ofMillis(500);

  private static final Duration ANSWER = Duration.ofSeconds(5);

  private static final int MOST_BYTES = 1 << 20;

  private final URI base;

  /** A service at an address like http://169.254.169.254. */
  MetadataService(URI base) {
    this.base = base;
  }

  /**
   * An answer.
   *
   * @param text empty if there is no body
   */
  record Answer(int code, String text) {

    boolean isMissing() {
      return code == HttpURLConnection.HTTP_NOT_FOUND;
    }

    /** Returns the text of a good answer. */
    String good() throws IOException {
      if (code != HttpURLConnection.HTTP_OK) {
        throw new IOException("the metadata service answered %d".formatted(code));
      }
      return text;
    }
  }

  Answer get(String path, Map<String, String> headers) throws IOException {
    return ask("GET", path, headers);
  }

  Answer put(String path, Map<String, String> headers) throws IOException {
    return ask("PUT", path, headers);
  }

  private Answer ask(String method, String path, Map<String, String> headers) throws IOException {
    var connection = (HttpURLConnection) base.resolve(path).toURL().openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout((int) CONNECT.toMillis());
    connection.setReadTimeout((int) ANSWER.toMillis());
    connection.setInstanceFollowRedirects(false);
    connection.setRequestMethod(method);
    headers.forEach(connection::setRequestProperty);
    if (method.equals("PUT")) {
      connection.setDoOutput(true);
      connection.setFixedLengthStreamingMode(0);
      connection.getOutputStream().close();
    }
    int code = connection.getResponseCode();
    return new Answer(code, body(code < 400 ? connection.getInputStream() : stream(connection)));
  }

  private static @Nullable InputStream stream(HttpURLConnection connection) {
    return connection.getErrorStream();
  }

  private static String body(@Nullable InputStream stream) throws IOException {
    if (stream == null) {
      return "";
    }
    try (stream) {
      return new String(stream.readNBytes(MOST_BYTES), StandardCharsets.UTF_8).strip();
    }
  }
}
