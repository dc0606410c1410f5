package io.deepvm.checkpoint.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScrapeTest {

  @TempDir Path folder;

  private static HttpResponse<String> get(URI address) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(20)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  @Test
  void onlyThisMachineMayLook() throws Exception {
    for (InetSocketAddress open :
        List.of(
            new InetSocketAddress("0.0.0.0", 0),
            InetSocketAddress.createUnresolved("metrics.example", 9464))) {
      assertThatThrownBy(() -> new Scrape(open))
          .isInstanceOf(BadInput.class)
          .hasMessageContaining(open.getHostString())
          .hasMessageContaining("beyond this machine");
    }
    try (Scrape scrape = new Scrape(loopback(0))) {
      InetSocketAddress taken = loopback(scrape.address().getPort());
      assertThatThrownBy(() -> new Scrape(taken))
          .isInstanceOf(BadInput.class)
          .hasMessageContaining(Integer.toString(taken.getPort()));
    }
  }

  @Test
  void metricsAreOnlyRead() throws Exception {
    try (Scrape scrape = new Scrape(loopback(0))) {
      HttpRequest post =
          HttpRequest.newBuilder(scrape.address())
              .timeout(Duration.ofSeconds(20))
              .POST(HttpRequest.BodyPublishers.ofString("x"))
              .build();
      assertThat(
              HttpClient.newHttpClient()
                  .send(post, HttpResponse.BodyHandlers.discarding())
                  .statusCode())
          .isEqualTo(405);
    }
  }

  @Test
  void anEngineIsSeenInTheTextOfPrometheus() throws Exception {
    EngineOptions options = EngineOptions.of("resnet", SharedClaim.of(1), DataSize.parse("1MiB"));
    try (CheckpointEngine engine =
            new CheckpointEngine(
                options, List.of(new DirectoryTier("disk", Level.DURABLE, folder)));
        Scrape scrape = new Scrape(loopback(0))) {
      scrape.show(new EngineMeters(engine::metrics, "resnet", 0));
      scrape.show(new RestoreMeters(() -> 2, "resnet"));
      String labels = "{job=\"resnet\",worker=\"0\"} ";
      assertThat(get(scrape.address()).body())
          .contains("deepvm_checkpoint_saves_total" + labels + "0.0")
          .contains("deepvm_checkpoint_durable_age_seconds" + labels + "NaN")
          .contains("deepvm_checkpoint_restore_fallbacks_total{job=\"resnet\"} 2.0");
      engine.start();
      TensorSpec weights = new TensorSpec("w", DType.U8, List.of(1000L));
      Slice tensor = Slice.whole(weights, ByteBuffer.allocateDirect(1000));
      Ticket ticket = engine.save(7, TrainingState.replicated(List.of(tensor)), Map.of());
      assertThat(ticket.awaitSettled(Duration.ofSeconds(20))).isTrue();
      HttpResponse<String> answer = get(scrape.address());
      assertThat(answer.headers().firstValue("Content-Type"))
          .hasValueSatisfying(t -> assertThat(t).startsWith("text/plain"));
      assertThat(answer.body())
          .contains("deepvm_checkpoint_saves_total" + labels + "1.0")
          .contains("deepvm_checkpoint_failed_total" + labels + "0.0")
          .contains("deepvm_checkpoint_skipped_total" + labels + "0.0")
          .contains("deepvm_checkpoint_stall_seconds_total" + labels)
          .contains("deepvm_checkpoint_last_durable_step" + labels + "7.0")
          .contains("deepvm_checkpoint_lag_steps" + labels + "0.0")
          .contains("deepvm_checkpoint_in_flight_bytes" + labels + "0.0")
          .contains("deepvm_checkpoint_last_write_seconds" + labels)
          .doesNotContain("deepvm_checkpoint_durable_age_seconds" + labels + "NaN");
      assertThat(get(scrape.address().resolve("/else")).statusCode()).isEqualTo(404);
    }
  }
}
