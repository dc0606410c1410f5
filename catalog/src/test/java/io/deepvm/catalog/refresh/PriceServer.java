package io.deepvm.catalog.refresh;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;

/** Serves price lists on this machine, well and badly. */
final class PriceServer implements AutoCloseable {

  /** Answers a request. */
  @FunctionalInterface
  interface Page {
    void answer(HttpExchange exchange) throws IOException;
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Page> pages = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  PriceServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
    asked.add(exchange.getRequestURI().toString());
    Page page = pages.get(exchange.getRequestURI().getPath());
    if (page == null) {
      exchange.sendResponseHeaders(404, -1);
      exchange.close();
    } else {
      try (exchange) {
        page.answer(exchange);
      }
    }
  }

  PriceServer page(String path, Page page) {
    pages.put(path, page);
    return this;
  }

  PriceServer text(String path, String text) {
    return page(path, exchange -> send(exchange, 200, text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Lets the server wait until the test is over. */
  void hang() {
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  URI at(String path) {
    return URI.create("http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), path));
  }

  List<String> asked() {
    return List.copyOf(asked);
  }

  static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  static byte[] gzipped(byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    }
    return bytes.toByteArray();
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.shutdownNow();
  }
}
