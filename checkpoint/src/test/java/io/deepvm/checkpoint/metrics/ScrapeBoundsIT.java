package io.deepvm.checkpoint.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ScrapeBoundsIT {

  @ParameterizedTest
  @ValueSource(ints = {1, 30})
  void clientsThatDoNotFinishTheirRequestDoNotKeepOthersOut(int slow) throws Exception {
    try (Scrape scrape = new Scrape(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      List<Socket> half = new ArrayList<>();
      for (int i = 0; i < slow; i++) {
        half.add(half(scrape));
      }
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(scrape.address()).timeout(Duration.ofSeconds(40)).build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      for (Socket socket : half) {
        socket.close();
      }
    }
  }

  @Test
  void aRequestThatTakesTooLongIsClosed() throws Exception {
    try (Scrape scrape = new Scrape(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Socket socket = half(scrape)) {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  private static Socket half(Scrape scrape) throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), scrape.address().getPort());
    socket.setSoTimeout(40_000);
    socket.getOutputStream().write("GET /metr".getBytes(StandardCharsets.US_ASCII));
    return socket;
  }
}
