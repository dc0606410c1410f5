package io.deepvm.places.aws;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;

/** Signs requests with the user's credentials and sends them by the HTTP client of Java. */
public final class SignedWire implements AwsWire {

  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration ANSWER = Duration.ofSeconds(60);
  private static final int MOST_BYTES = 32 << 20;

  /** Headers that the HTTP client sets itself. */
  private static final Set<String> OF_CLIENT = Set.of("host", "content-length");

  private final AwsAccess access;
  private final AwsCredentialsProvider credentials;
  private final Clock clock;
  private final HttpClient client;

  private SignedWire(AwsAccess access, AwsCredentialsProvider credentials, Clock clock) {
    this.access = access;
    this.credentials = credentials;
    this.clock = clock;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /** Takes the credentials from where every AWS tool takes them. */
  public static SignedWire of(AwsAccess access) {
    DefaultCredentialsProvider.Builder chain = DefaultCredentialsProvider.builder();
    if (access.profile() != null) {
      chain.profileName(access.profile());
    }
    return of(access, chain.build(), Clock.systemUTC());
  }

  static SignedWire of(AwsAccess access, AwsCredentialsProvider credentials, Clock clock) {
    return new SignedWire(access, credentials, clock);
  }

  @Override
  public Reply query(String service, Map<String, String> form) throws IOException {
    String body =
        new TreeMap<>(form)
            .entrySet().stream()
                .map(e -> encoded(e.getKey()) + "=" + encoded(e.getValue()))
                .collect(Collectors.joining("&"));
    return send(service, "application/x-www-form-urlencoded; charset=utf-8", null, body);
  }

  @Override
  public Reply json(String service, String target, String body) throws IOException {
    return send(service, "application/x-amz-json-1.1", target, body);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private Reply send(String service, String type, @Nullable String target, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    SdkHttpRequest signed = signed(service, type, target, body);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(access.endpoint(service)))
            .timeout(ANSWER)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    signed
        .headers()
        .forEach(
            (name, values) -> {
              if (!OF_CLIENT.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
              }
            });
    try {
      HttpResponse<InputStream> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream in = answer.body()) {
        byte[] bytes = in.readNBytes(MOST_BYTES);
        return new Reply(answer.statusCode(), new String(bytes, StandardCharsets.UTF_8));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  private SdkHttpRequest signed(String service, String type, @Nullable String target, byte[] body)
      throws IOException {
    SdkHttpRequest.Builder plain =
        SdkHttpRequest.builder()
            .method(SdkHttpMethod.POST)
            .uri(URI.create(access.endpoint(service)))
            .putHeader("Content-Type", type);
    if (target != null) {
      plain.putHeader("X-Amz-Target", target);
    }
    try {
      return AwsV4HttpSigner.create()
          .sign(
              r ->
                  r.identity(credentials.resolveCredentials())
                      .request(plain.build())
                      .payload(() -> new java.io.ByteArrayInputStream(body))
                      .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, service)
                      .putProperty(AwsV4HttpSigner.REGION_NAME, access.region())
                      .putProperty(HttpSigner.SIGNING_CLOCK, clock))
          .request();
    } catch (SdkException e) {
      throw new Ec2Failure(0, "NoCredentials", String.valueOf(e.getMessage()));
    }
  }
}
