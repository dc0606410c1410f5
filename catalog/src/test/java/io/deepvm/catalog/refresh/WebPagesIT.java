package io.deepvm.catalog.refresh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A page is bounded in time and size, whatever the server does. */
class WebPagesIT {

  private static final byte[] TEXT = "some prices".getBytes(StandardCharsets.UTF_8);

  private PriceServer server;

  @BeforeEach
  void start() throws IOException {
    server = new PriceServer();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static WebPages patient() {
    return new WebPages(Duration.ofSeconds(60), 1000);
  }

  private static WebPages impatient() {
    return new WebPages(Duration.ofMillis(300), 1000);
  }

  @Test
  void aPlainAndAPackedPageAreTheSame() throws IOException {
    server.page("/plain", exchange -> PriceServer.send(exchange, 200, TEXT));
    server.page(
        "/packed",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Encoding", "gzip");
          PriceServer.send(exchange, 200, PriceServer.gzipped(TEXT));
        });
    assertThat(patient().read(server.at("/plain"))).isEqualTo(TEXT);
    assertThat(patient().read(server.at("/packed"))).isEqualTo(TEXT);
  }

  @Test
  void anErrorIsNamedByItsNumber() {
    server.page("/", exchange -> PriceServer.send(exchange, 500, TEXT));
    refuses(patient(), "/", "HTTP 500");
    refuses(patient(), "/absent", "HTTP 404");
  }

  @Test
  void aServerThatNeverAnswersIsGivenUp() {
    server.page("/", exchange -> server.hang());
    refuses(impatient(), "/", "did not answer in full within");
  }

  @Test
  void aServerThatStopsInTheMiddleIsGivenUp() {
    server.page(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write(TEXT);
          exchange.getResponseBody().flush();
          server.hang();
        });
    refuses(impatient(), "/", "did not answer in full within");
  }

  @Test
  void anAnswerThatIsCutShortIsRefused() {
    server.page(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write(TEXT);
          exchange.getResponseBody().flush();
          // Closing the server's side breaks the connection before the 100 bytes are there.
          throw new IOException("broken");
        });
    refuses(patient(), "/", "");
  }

  @Test
  void aPackedAnswerThatIsCutShortIsRefused() throws IOException {
    byte[] packed = PriceServer.gzipped(TEXT);
    server.page(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Encoding", "gzip");
          PriceServer.send(exchange, 200, Arrays.copyOf(packed, packed.length - 9));
        });
    refuses(patient(), "/", "");
  }

  @Test
  void aHugeAnswerIsNotReadToItsEnd() {
    server.page(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          for (int i = 0; i < 1_000_000; i++) {
            exchange.getResponseBody().write(TEXT);
          }
        });
    refuses(patient(), "/", "more than 1000 bytes");
  }

  @Test
  void anAnswerThatUnpacksToAHugeTextIsRefused() throws IOException {
    byte[] bomb = PriceServer.gzipped(new byte[100_000]);
    assertThat(bomb.length).isLessThan(1000);
    server.page(
        "/",
        exchange -> {
          exchange.getResponseHeaders().set("Content-Encoding", "gzip");
          PriceServer.send(exchange, 200, bomb);
        });
    refuses(patient(), "/", "more than 1000 bytes");
  }

  @Test
  void aRedirectOnTheSameHostIsFollowedAndOneElsewhereIsNot() throws IOException {
    server.page("/new", exchange -> PriceServer.send(exchange, 200, TEXT));
    redirect("/old", "/new");
    assertThat(patient().read(server.at("/old"))).isEqualTo(TEXT);
    try (PriceServer other = new PriceServer()) {
      other.page("/prices", exchange -> PriceServer.send(exchange, 200, TEXT));
      redirect("/away", other.at("/prices").toString());
      refuses(patient(), "/away", "leads to another host");
      assertThat(other.asked()).isEmpty();
    }
    redirect("/circle", "/circle");
    refuses(patient(), "/circle", "redirects more than");
  }

  private void redirect(String path, String to) {
    server.page(
        path,
        exchange -> {
          exchange.getResponseHeaders().set("Location", to);
          exchange.sendResponseHeaders(302, -1);
        });
  }

  @Test
  void aPortThatIsTheUsualOneIsNoOtherHost() throws IOException {
    URI page = URI.create("https://prices.example.org/a?b=c");
    assertThat(WebPages.redirected(page, "https://prices.example.org:443/a?$skip=100"))
        .hasToString("https://prices.example.org:443/a?$skip=100");
    assertThatThrownBy(() -> WebPages.redirected(page, "http://prices.example.org/a"))
        .hasMessageContaining("another host");
  }

  @Test
  void aHostThatCannotBeReachedIsTriedOnce() throws IOException {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    URI gone = URI.create("http://127.0.0.1:%d/prices".formatted(port));
    WebPages pages = patient();
    assertThatThrownBy(() -> pages.read(gone))
        .hasMessage("http://127.0.0.1:%d cannot be reached".formatted(port))
        .hasCauseInstanceOf(IOException.class);
    assertThatThrownBy(() -> pages.read(gone))
        .hasMessage("http://127.0.0.1:%d cannot be reached".formatted(port))
        .hasNoCause();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://example.org/prices", "ftp://example.org", "prices", "https://", "a b"})
  void anAddressThatOthersCouldAnswerForIsRefused(String address) {
    assertThatThrownBy(() -> WebPages.address(address)).isInstanceOf(BadInput.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://example.org/prices", "http://127.0.0.1:80/", "http://[::1]/"})
  void otherAddressesAreTaken(String address) {
    assertThat(WebPages.address(address)).hasToString(address);
  }

  private void refuses(WebPages pages, String path, String why) {
    assertThatThrownBy(() -> pages.read(server.at(path)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why);
  }
}
