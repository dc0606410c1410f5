package io.deepvm.checkpoint.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Answers {@code GET /metrics} on this machine with meters in Prometheus' text format. */
public final class Scrape implements Closeable {

  private static final String PATH = "/metrics";
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread server = new Thread(task, "deepvm-checkpoint-metrics");
            server.setDaemon(true);
            return server;
          });
  private final HttpServer server;

  /** Listens on a port of the loopback address; zero takes any that is free. */
  public Scrape(int port, EngineMeters meters) throws IOException {
    meters.bindTo(registry);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext("/", this::answer);
    server.setExecutor(thread);
    server.start();
  }

  /** Returns where the meters are. */
  public URI address() {
    return URI.create("http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), PATH));
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        exchange.sendResponseHeaders(404, -1);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.sendResponseHeaders(405, -1);
      } else {
        byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", TEXT);
        exchange.sendResponseHeaders(200, text.length);
        exchange.getResponseBody().write(text);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    thread.shutdownNow();
    registry.close();
  }
}
