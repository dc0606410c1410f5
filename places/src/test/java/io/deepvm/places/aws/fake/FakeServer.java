package io.deepvm.places.aws.fake;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.deepvm.places.aws.AwsWire;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Serves a fake EC2 on loopback to clients that sign their requests with its keys. */
public final class FakeServer implements AutoCloseable {

  /** The access key that it takes. */
  public static final String ACCESS_KEY = "AKIDOFTHEFAKE";

  /** The secret of the access key. */
  public static final String SECRET_KEY = "secret-of-the-fake";

  private final FakeEc2 ec2;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool(FakeServer::daemon);

  private FakeServer(FakeEc2 ec2, HttpServer server) {
    this.ec2 = ec2;
    this.server = server;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "fake-ec2");
    thread.setDaemon(true);
    return thread;
  }

  /** Starts to serve. */
  public static FakeServer start(FakeEc2 ec2) throws IOException {
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    FakeServer server = new FakeServer(ec2, http);
    http.createContext("/", server::handle);
    http.setExecutor(server.threads);
    http.start();
    return server;
  }

  /** Returns where it is served. */
  public URI address() {
    return URI.create("http://127.0.0.1:%d/".formatted(server.getAddress().getPort()));
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      AwsWire.Reply reply;
      try {
        reply = reply(exchange, body);
      } catch (IOException e) {
        // The answer is lost: the connection closes without one.
        return;
      }
      byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "text/xml;charset=UTF-8");
      exchange.sendResponseHeaders(reply.status(), bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private AwsWire.Reply reply(HttpExchange exchange, byte[] body) throws IOException {
    boolean signed =
        FakeSignature.isOf(
            ACCESS_KEY,
            SECRET_KEY,
            name -> {
              String value = exchange.getRequestHeaders().getFirst(name);
              return value == null ? "" : value;
            },
            body);
    String target = exchange.getRequestHeaders().getFirst("X-Amz-Target");
    String text = new String(body, StandardCharsets.UTF_8);
    if (!signed) {
      return target == null
          ? FakeEc2.error(401, "AuthFailure", "AWS was not able to validate the credentials")
          : new AwsWire.Reply(
              400, "{\"__type\":\"UnrecognizedClientException\",\"message\":\"bad credentials\"}");
    }
    return target == null ? ec2.query("", form(text)) : ec2.json("", target, text);
  }

  private static Map<String, String> form(String text) {
    Map<String, String> form = new TreeMap<>();
    for (String pair : text.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      if (parts.length == 2) {
        form.put(
            URLDecoder.decode(parts[0], StandardCharsets.UTF_8),
            URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
      }
    }
    return form;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
