package io.deepvm.page;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request to a page server, and the way to answer it. */
public final class PageRequest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final int MOST_BODY = 16 << 10;
  private static final int OK = 200;
  private static final int WRONG_METHOD = 405;

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml");

  /** The files that pages ask for by name. */
  private static final Set<String> FILES =
      Set.of(
          "page.css",
          "uplot.css",
          "uplot.js",
          "figures.js",
          "elements.js",
          "charts.js",
          "lives.js",
          "runs.js",
          "model.js",
          "states.js",
          "logs.js",
          "stop.js",
          "run.js",
          "explore.js",
          "places.js",
          "front.js",
          "market.js",
          "icon.svg");

  private final HttpExchange exchange;
  private final Deque<String> segments = new ArrayDeque<>();

  PageRequest(HttpExchange exchange) {
    this.exchange = exchange;
    Arrays.stream(exchange.getRequestURI().getRawPath().substring(1).split("/", -1))
        .map(PageRequest::decoded)
        .forEach(segments::add);
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  /** Returns the next part of the path; empty at its end. */
  public String takeSegment() {
    String segment = segments.pollFirst();
    return segment == null ? "" : segment;
  }

  /** Whether it asks for a change. */
  public boolean writes() {
    return exchange.getRequestMethod().equals("POST");
  }

  /** Refuses a request that asks for a change where there is nothing to change. */
  public void requireReading() {
    if (!exchange.getRequestMethod().equals("GET")) {
      throw new PageSite.NoSuchPage("way to change this (%d)".formatted(WRONG_METHOD));
    }
  }

  /** Returns the parameters after the question mark; the last of a name counts. */
  public Map<String, String> query() {
    Map<String, String> query = new LinkedHashMap<>();
    String raw = exchange.getRequestURI().getRawQuery();
    if (raw != null) {
      for (String part : raw.split("&", -1)) {
        int equals = part.indexOf('=');
        if (equals > 0) {
          query.put(
              decoded(part.substring(0, equals)),
              URLDecoder.decode(part.substring(equals + 1), StandardCharsets.UTF_8));
        }
      }
    }
    return query;
  }

  /** Returns what came with the request, which may be short only. */
  public String body() throws IOException {
    return new String(exchange.getRequestBody().readNBytes(MOST_BODY), StandardCharsets.UTF_8);
  }

  /** Returns a header; null if there is none. */
  public @Nullable String header(String name) {
    return exchange.getRequestHeaders().getFirst(name);
  }

  /** Sends one of the pages' own files. */
  public void sendFile(String name) throws IOException {
    requireReading();
    boolean known = name.endsWith(".html") || FILES.contains(name);
    if (!known) {
      throw new PageSite.NoSuchPage("file '%s'".formatted(name));
    }
    send(OK, TYPES.get(name.substring(name.lastIndexOf('.') + 1)), PageServer.resource(name));
  }

  /** Sends the JSON of a value. */
  public void sendJson(Object value) throws IOException {
    send(OK, "application/json", JSON.writeValueAsBytes(value));
  }

  /** Sends plain text. */
  void sendText(int status, String text) throws IOException {
    send(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private void send(int status, @Nullable String type, byte[] bytes) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", String.valueOf(type));
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Begins a stream of server-sent events; the browser reconnects when it ends. */
  public OutputStream stream() throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
    exchange.sendResponseHeaders(OK, 0);
    return exchange.getResponseBody();
  }
}
