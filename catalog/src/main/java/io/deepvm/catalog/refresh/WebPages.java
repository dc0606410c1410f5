package io.deepvm.catalog.refresh;

import io.deepvm.base.BadInput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads pages of price lists. Each page is bounded in time and size, and comes from the host that
 * was asked.
 */
public final class WebPages {

  /** How long one page may take by default. */
  public static final Duration USUAL_PATIENCE = Duration.ofSeconds(30);

  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final int USUAL_BYTES = 64 << 20;
  private static final int MOST_REDIRECTS = 3;
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);
  private static final Set<String> THIS_MACHINE = Set.of("127.0.0.1", "localhost", "[::1]");

  private final Duration patience;
  private final int mostBytes;
  private final HttpClient client;

  /** Hosts that could not be reached: they are not tried again. */
  private final Set<String> unreachable = new HashSet<>();

  WebPages(Duration patience, int mostBytes) {
    this.patience = patience;
    this.mostBytes = mostBytes;
    this.client =
        HttpClient.newBuilder()
            .connectTimeout(patience.compareTo(CONNECT) < 0 ? patience : CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /**
   * Makes a reader.
   *
   * @param patience how long one page may take in all
   */
  public static WebPages within(Duration patience) {
    return new WebPages(patience, USUAL_BYTES);
  }

  /** Returns an address that the user gave; refuses one that others could answer for. */
  public static URI address(String text) {
    URI address;
    try {
      address = new URI(text);
    } catch (URISyntaxException e) {
      throw new BadInput(
          "'%s' is no address.".formatted(text), "Maybe write it like https://example.org/prices.");
    }
    String host = address.getHost();
    String scheme = address.getScheme() == null ? "" : address.getScheme();
    boolean safe = scheme.equals("https") || (scheme.equals("http") && isThisMachine(host));
    if (host == null || !safe) {
      throw new BadInput(
          "Prices are not read from '%s': on the way, anybody could change them.".formatted(text),
          "Maybe use https://, or http:// to this machine.");
    }
    return address;
  }

  private static boolean isThisMachine(@Nullable String host) {
    return host != null && THIS_MACHINE.contains(host.toLowerCase(Locale.ROOT));
  }

  /** Returns what is at an address, unpacked. */
  public byte[] read(URI address) throws IOException {
    long endNanos = System.nanoTime() + patience.toNanos();
    URI at = address;
    for (int i = 0; i <= MOST_REDIRECTS; i++) {
      HttpResponse<byte[]> answer = ask(at, endNanos - System.nanoTime());
      if (!REDIRECTS.contains(answer.statusCode())) {
        if (answer.statusCode() != 200) {
          throw new IOException("%s answers with HTTP %d".formatted(at, answer.statusCode()));
        }
        return unpacked(answer);
      }
      at = redirected(at, answer.headers().firstValue("Location").orElse(""));
    }
    throw new IOException("%s redirects more than %d times".formatted(address, MOST_REDIRECTS));
  }

  /** Returns where a page leads to; refuses another host. */
  static URI redirected(URI from, String location) throws IOException {
    URI to;
    try {
      to = from.resolve(location.replace(" ", "%20"));
    } catch (IllegalArgumentException e) {
      throw new IOException("%s leads to '%s', which is no address".formatted(from, location), e);
    }
    if (!origin(from).equals(origin(to))) {
      throw new IOException("%s leads to another host, %s".formatted(from, origin(to)));
    }
    return to;
  }

  private static String origin(URI address) {
    int port = address.getPort();
    int usual = "https".equals(address.getScheme()) ? 443 : 80;
    return "%s://%s:%d"
        .formatted(address.getScheme(), address.getHost(), port == -1 ? usual : port);
  }

  private HttpResponse<byte[]> ask(URI address, long nanos) throws IOException {
    if (unreachable.contains(origin(address))) {
      throw new IOException("%s cannot be reached".formatted(origin(address)));
    }
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .timeout(patience)
            .header("Accept-Encoding", "gzip")
            .GET()
            .build();
    CompletableFuture<HttpResponse<byte[]>> answer =
        client.sendAsync(request, info -> new BoundedBody(mostBytes));
    try {
      return answer.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw late(address, e);
    } catch (ExecutionException e) {
      throw failed(address, e.getCause() == null ? e : e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      answer.cancel(true);
    }
  }

  private IOException failed(URI address, Throwable cause) {
    if (cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException) {
      unreachable.add(origin(address));
      return new IOException("%s cannot be reached".formatted(origin(address)), cause);
    }
    return cause instanceof HttpTimeoutException
        ? late(address, cause)
        : new IOException("%s: %s".formatted(address, cause.getMessage()), cause);
  }

  private IOException late(URI address, Throwable cause) {
    return new IOException(
        "%s did not answer in full within %d s".formatted(address, patience.toSeconds()), cause);
  }

  private byte[] unpacked(HttpResponse<byte[]> answer) throws IOException {
    byte[] bytes = answer.body();
    if (!answer.headers().firstValue("Content-Encoding").orElse("").equalsIgnoreCase("gzip")) {
      return bytes;
    }
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      byte[] plain = in.readNBytes(mostBytes + 1);
      if (plain.length > mostBytes) {
        throw tooLong(mostBytes);
      }
      return plain;
    } catch (IOException e) {
      throw new IOException("%s: %s".formatted(answer.uri(), e.getMessage()), e);
    }
  }

  private static IOException tooLong(int most) {
    return new IOException("the answer has more than %d bytes".formatted(most));
  }

  /** Collects an answer up to a bound. */
  private static final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {

    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final int most;
    private Flow.@Nullable Subscription asked;

    BoundedBody(int most) {
      this.most = most;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      asked = subscription;
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
      for (ByteBuffer part : parts) {
        if (bytes.size() + part.remaining() > most) {
          if (asked != null) {
            asked.cancel();
          }
          body.completeExceptionally(tooLong(most));
          return;
        }
        byte[] copy = new byte[part.remaining()];
        part.get(copy);
        bytes.writeBytes(copy);
      }
    }

    @Override
    public void onError(Throwable failure) {
      body.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      body.complete(bytes.toByteArray());
    }
  }
}
