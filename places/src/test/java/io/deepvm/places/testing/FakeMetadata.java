package io.deepvm.places.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The metadata services of AWS, Google, Azure and Alibaba on one port, as their documents describe
 * them. Without its header or its token a question is refused, as by the real ones.
 */
public final class FakeMetadata implements AutoCloseable {

  /** The name of this machine at Azure. */
  public static final String NAME = "worker_3";

  private static final String TOKENS = "/latest/api/token";

  private final HttpServer server;
  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final AtomicInteger token = new AtomicInteger(1);
  private volatile boolean silent;

  /** Starts it, with no notice. */
  public FakeMetadata(InetSocketAddress address) throws IOException {
    server = HttpServer.create(address, 0);
    server.setExecutor(
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "metadata");
              thread.setDaemon(true);
              return thread;
            }));
    server.createContext("/", this::answer);
    clear();
    server.start();
  }

  /** Returns its address. */
  public URI uri() {
    InetSocketAddress at = server.getAddress();
    return URI.create("http://%s:%d".formatted(at.getAddress().getHostAddress(), at.getPort()));
  }

  /** Withdraws all notices. */
  public void clear() {
    answers.clear();
    answers.put("/computeMetadata/v1/instance/preempted", "FALSE");
    answers.put("/computeMetadata/v1/instance/maintenance-event", "NONE");
    answers.put("/metadata/instance/compute/name", NAME);
    answers.put("/metadata/scheduledevents", "{\"DocumentIncarnation\":1,\"Events\":[]}");
  }

  /** Lets a path answer this. */
  public void put(String path, String text) {
    answers.put(path, text);
  }

  /** Announces the end of an EC2 spot instance. */
  public void aws(Instant at) {
    put(
        "/latest/meta-data/spot/instance-action",
        "{\"action\":\"terminate\",\"time\":\"%s\"}".formatted(at));
  }

  /** Recommends to leave an EC2 spot instance. */
  public void awsRebalance(Instant at) {
    put(
        "/latest/meta-data/events/recommendations/rebalance",
        "{\"noticeTime\":\"%s\"}".formatted(at));
  }

  /** Announces the preemption of a Google machine. */
  public void gcp() {
    put("/computeMetadata/v1/instance/preempted", "TRUE");
  }

  /** Announces the eviction of a machine of the Azure set. */
  public void azure(String machine, Instant at) {
    String time =
        DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.ofInstant(at, ZoneOffset.UTC));
    put(
        "/metadata/scheduledevents",
        """
        {"DocumentIncarnation":2,"Events":[
          {"EventId":"A1","EventStatus":"Scheduled","EventType":"Freeze","ResourceType":"VirtualMachine",
           "Resources":["%s"],"NotBefore":""},
          {"EventId":"A2","EventStatus":"Scheduled","EventType":"Preempt","ResourceType":"VirtualMachine",
           "Resources":["other_1","%s"],"NotBefore":"%s"}]}
        """
            .formatted(machine, machine, time));
  }

  /** Announces the end of an Alibaba instance. */
  public void alibaba(Instant at) {
    put("/latest/meta-data/instance/spot/termination-time", at.toString());
  }

  /** Lets all tokens expire. */
  public void expireTokens() {
    token.incrementAndGet();
  }

  /** Refuses to answer anything from now on, or answers again. */
  public void silent(boolean now) {
    silent = now;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    if (silent) {
      reply(exchange, 503, "");
    } else if (path.equals(TOKENS)) {
      boolean asked =
          exchange.getRequestMethod().equals("PUT")
              && (has(exchange, "X-aws-ec2-metadata-token-ttl-seconds", "21600")
                  || has(exchange, "X-aliyun-ecs-metadata-token-ttl-seconds", "21600"));
      reply(exchange, asked ? 200 : 400, asked ? secret() : "");
    } else if (!allowed(exchange, path)) {
      reply(exchange, path.startsWith("/latest/") ? 401 : 403, "");
    } else {
      String text = answers.get(path);
      reply(exchange, text == null ? 404 : 200, text == null ? "" : text);
    }
  }

  private String secret() {
    return "token-" + token.get();
  }

  private boolean allowed(HttpExchange exchange, String path) {
    if (path.startsWith("/latest/meta-data/instance/")) {
      return has(exchange, "X-aliyun-ecs-metadata-token", secret());
    } else if (path.startsWith("/latest/")) {
      return has(exchange, "X-aws-ec2-metadata-token", secret());
    }
    return path.startsWith("/computeMetadata/")
        ? has(exchange, "Metadata-Flavor", "Google")
        : has(exchange, "Metadata", "true");
  }

  private static boolean has(HttpExchange exchange, String header, String value) {
    return value.equals(exchange.getRequestHeaders().getFirst(header));
  }

  private static void reply(HttpExchange exchange, int code, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(code, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
