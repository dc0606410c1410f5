package io.deepvm.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A small web server for one user of this machine. It listens on loopback only. It refuses requests
 * for other hosts (else a foreign web site could reach it by a name that leads here), and requests
 * without its token.
 */
public final class PageServer implements Closeable {

  /** A page runs no script and loads nothing but what this server sends. */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'";

  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int FAILED = 500;
  private static final int BAD = 400;

  /** Requests before this many others wait. */
  private static final int BACKLOG = 32;

  static {
    // The JDK's server reads these once; without them it waits for a request for ever.
    limit("sun.net.httpserver.maxReqTime", 10);
    limit("jdk.httpserver.maxConnections", 64);
    // A small event would wait for the answer to the last one.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final PageKey key;
  private final PageSite site;
  private final HttpServer server;
  // No more threads than connections, which are limited above.
  private final ExecutorService threads =
      Executors.newCachedThreadPool(DaemonThreads.named("deepvm-page"));

  private PageServer(PageKey key, PageSite site, HttpServer server) {
    this.key = key;
    this.site = site;
    this.server = server;
  }

  /** Starts a server at the key's port, or at any free port if another process listens there. */
  public static PageServer start(PageKey key, PageSite site) throws IOException {
    HttpServer http = bind(key.port());
    PageServer server = new PageServer(key.at(http.getAddress().getPort()), site, http);
    http.createContext("/", server::handle);
    http.setExecutor(server.threads);
    http.start();
    return server;
  }

  private static HttpServer bind(int port) throws IOException {
    InetAddress loopback = InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 1});
    try {
      return HttpServer.create(new InetSocketAddress(loopback, port), BACKLOG);
    } catch (BindException e) {
      if (port == 0) {
        throw e;
      }
      return HttpServer.create(new InetSocketAddress(loopback, 0), BACKLOG);
    }
  }

  private static void limit(String property, int value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(value));
    }
  }

  /** Returns the key with the port where the server listens. */
  public PageKey key() {
    return key;
  }

  /** Returns the address to open, which contains the token. */
  public URI address() {
    return URI.create("http://127.0.0.1:%d/%s/".formatted(key.port(), key.token()));
  }

  private void handle(HttpExchange exchange) {
    try (exchange) {
      protect(exchange.getResponseHeaders());
      PageRequest request = new PageRequest(exchange);
      try {
        if (!isOurs(exchange.getRequestHeaders())) {
          request.sendText(FORBIDDEN, "This server answers requests for its own address only.");
        } else if (!key.fits(request.takeSegment())) {
          request.sendText(
              FORBIDDEN, "The address has no valid token; see the line that named it.");
        } else if (request.writes() && isForeign(exchange.getRequestHeaders())) {
          request.sendText(FORBIDDEN, "Another web site may not ask for this.");
        } else {
          site.answer(request);
        }
      } catch (PageSite.NoSuchPage e) {
        request.sendText(NOT_FOUND, "There is no " + e.getMessage() + ".");
      } catch (BadInput e) {
        request.sendText(BAD, e.getMessage() + "\n" + e.wayOut());
      } catch (RuntimeException e) {
        request.sendText(FAILED, "The page failed inside: " + e);
      }
    } catch (IOException e) {
      // The browser has gone.
    }
  }

  private static void protect(Headers headers) {
    headers.set("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    // The token is in the address.
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cache-Control", "no-store");
    headers.set("Cross-Origin-Opener-Policy", "same-origin");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
  }

  /** Whether a request names this server, and names it once. */
  private boolean isOurs(Headers headers) {
    List<String> hosts = headers.getOrDefault("Host", List.of());
    return hosts.size() == 1 && ourHosts().contains(hosts.get(0).toLowerCase(Locale.ROOT));
  }

  private List<String> ourHosts() {
    return List.of("127.0.0.1:" + key.port(), "localhost:" + key.port());
  }

  /** Whether a request that changes something does not come from a page of this server. */
  private boolean isForeign(Headers headers) {
    String origin = headers.getFirst("Origin");
    return origin == null
        || !origin.startsWith("http://")
        || !ourHosts().contains(origin.substring("http://".length()));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  /** Returns a text of the pages' own files. */
  static byte[] resource(String name) throws IOException {
    try (var in = PageServer.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new PageSite.NoSuchPage("file " + name);
      }
      return in.readAllBytes();
    }
  }

  /** Returns a resource as text. */
  static String text(String name) throws IOException {
    return new String(resource(name), StandardCharsets.UTF_8);
  }
}
