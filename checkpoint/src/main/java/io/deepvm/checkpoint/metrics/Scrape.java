package io.deepvm.checkpoint.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Answers {@code GET /metrics} on this machine with meters in Prometheus' text format. */
public final class Scrape implements Closeable {

  private static final String PATH = "/metrics";
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  /** More than one, so that a client that says nothing does not keep the others out. */
  private static final int THREADS = 8;

  static {
    // The JDK's server reads these once; without them it waits for a request for ever.
    limit("sun.net.httpserver.maxReqTime", 5);
    limit("sun.net.httpserver.maxRspTime", 10);
    limit("jdk.httpserver.maxConnections", 64);
  }

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final ExecutorService threads =
      Executors.newFixedThreadPool(THREADS, DaemonThreads.named("deepvm-checkpoint-metrics"));
  private final HttpServer server;

  /**
   * Listens on a loopback address, as it shows figures to everyone; port zero takes any that is
   * free.
   */
  public Scrape(InetSocketAddress listen) throws IOException {
    if (listen.isUnresolved() || !listen.getAddress().isLoopbackAddress()) {
      throw new BadInput(
          "Metrics on %s would be open to everyone beyond this machine."
              .formatted(listen.getHostString()),
          "Maybe use 127.0.0.1:%d, and fetch them from this machine.".formatted(listen.getPort()));
    }
    try {
      server = HttpServer.create(listen, 0);
    } catch (BindException e) {
      throw new BadInput(
          "Metrics cannot be shown on %s:%d: %s."
              .formatted(listen.getHostString(), listen.getPort(), e.getMessage()),
          "Maybe use another port, or 0 for any that is free.");
    }
    server.createContext("/", this::answer);
    server.setExecutor(threads);
    server.start();
  }

  private static void limit(String property, int value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(value));
    }
  }

  /** Shows these meters from now on. */
  public void show(MeterBinder meters) {
    meters.bindTo(registry);
  }

  /** Returns where the meters are. */
  public URI address() {
    String host = server.getAddress().getAddress().getHostAddress();
    return URI.create(
        "http://%s:%d%s"
            .formatted(
                host.contains(":") ? "[" + host + "]" : host, server.getAddress().getPort(), PATH));
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
    threads.shutdownNow();
    registry.close();
  }
}
