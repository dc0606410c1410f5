package io.deepvm.page.browser;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Chromium without a window, driven over its debugging protocol. */
public final class Browser implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Path PROGRAM = Path.of("/usr/bin/chromium");

  private final Process process;
  private final WebSocket socket;
  private final Listener listener;
  private final AtomicInteger ids = new AtomicInteger();

  private Browser(Process process, WebSocket socket, Listener listener) {
    this.process = process;
    this.socket = socket;
    this.listener = listener;
  }

  /** Whether there is a browser here. */
  public static boolean isHere() {
    return Files.isExecutable(PROGRAM);
  }

  /** Starts a browser with nothing in its memory, whose profile is in the folder. */
  public static Browser start(Path profile) throws Exception {
    List<String> command =
        List.of(
            PROGRAM.toString(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--user-data-dir=" + profile,
            "--remote-debugging-port=0",
            "about:blank");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(profile.resolve("chromium.log").toFile())
            .start();
    try {
      URI address = page(port(profile, process));
      Listener listener = new Listener();
      WebSocket socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .buildAsync(address, listener)
              .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      Browser browser = new Browser(process, socket, listener);
      browser.command("Page.enable");
      browser.command("Runtime.enable");
      browser.command("Log.enable");
      browser.command("Network.enable");
      // A page without a window gets no focus otherwise.
      browser.command("Emulation.setFocusEmulationEnabled", "enabled", true);
      return browser;
    } catch (Exception e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private static int port(Path profile, Process process) throws Exception {
    Path file = profile.resolve("DevToolsActivePort");
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      if (Files.exists(file)) {
        List<String> lines = Files.readAllLines(file);
        if (lines.size() >= 2) {
          return Integer.parseInt(lines.get(0));
        }
      }
      if (!process.isAlive()) {
        throw new IOException(
            "Chromium ended: " + Files.readString(profile.resolve("chromium.log")));
      }
      Thread.sleep(20);
    }
    throw new IOException("Chromium does not open its port.");
  }

  private static URI page(int port) throws Exception {
    var http = HttpClient.newHttpClient();
    var request =
        java.net.http.HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:%d/json/list".formatted(port)))
            .timeout(PATIENCE)
            .build();
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      JsonNode pages =
          JSON.readTree(
              http.send(request, java.net.http.HttpResponse.BodyHandlers.ofString()).body());
      for (JsonNode page : pages) {
        if (page.path("type").asText().equals("page")) {
          return URI.create(page.path("webSocketDebuggerUrl").asText());
        }
      }
      Thread.sleep(20);
    }
    throw new IOException("Chromium has no page.");
  }

  /** Sends a command and returns its result. */
  public JsonNode command(String method, Object... parameters) {
    int id = ids.incrementAndGet();
    ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
    ObjectNode params = message.putObject("params");
    for (int i = 0; i < parameters.length; i += 2) {
      params.set((String) parameters[i], JSON.valueToTree(parameters[i + 1]));
    }
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    listener.answers.put(id, answer);
    socket.sendText(message.toString(), true).join();
    JsonNode result = answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    if (result.has("error")) {
      throw new IllegalStateException(method + ": " + result.get("error"));
    }
    return result.path("result");
  }

  /** Opens an address and waits until its document has loaded. */
  public void open(URI address) {
    command("Page.navigate", "url", address.toString());
    await("document.readyState === 'complete' && location.href !== 'about:blank'");
  }

  /** Returns the value of an expression, awaited if it is a promise. */
  public JsonNode evaluate(String expression) {
    JsonNode result =
        command(
            "Runtime.evaluate",
            "expression",
            expression,
            "returnByValue",
            true,
            "awaitPromise",
            true);
    if (result.has("exceptionDetails")) {
      throw new IllegalStateException(expression + ": " + result.get("exceptionDetails"));
    }
    return result.path("result").path("value");
  }

  /** Returns the text of the first element that a selector finds. */
  public String text(String selector) {
    return evaluate("document.querySelector(%s).innerText".formatted(quoted(selector))).asText();
  }

  /** Waits until an expression is true; the page looks again at each of its frames. */
  public void await(String condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!holds(condition)) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "Never true: %s; the page said %s".formatted(condition, listener.said));
      }
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }
  }

  private boolean holds(String condition) {
    try {
      return evaluate("Boolean(%s)".formatted(condition)).asBoolean();
    } catch (IllegalStateException e) {
      // The document is about to change.
      return false;
    }
  }

  /** Clicks the first element that a selector finds. */
  public void click(String selector) {
    evaluate("document.querySelector(%s).click()".formatted(quoted(selector)));
  }

  /** Presses a key, as a keyboard would. */
  public void press(String key) {
    for (String type : List.of("keyDown", "keyUp")) {
      command(
          "Input.dispatchKeyEvent",
          "type",
          type,
          "key",
          key,
          "code",
          key,
          "windowsVirtualKeyCode",
          switch (key) {
            case "Tab" -> 9;
            case "Enter" -> 13;
            case "ArrowRight" -> 39;
            case "ArrowLeft" -> 37;
            case "ArrowUp" -> 38;
            case "ArrowDown" -> 40;
            default -> 0;
          },
          "text",
          key.equals("Enter") ? "\r" : key.length() == 1 ? key : "");
    }
  }

  /** Moves the pointer to a share of the width of an element, in the middle of its height. */
  public void point(String selector, double share) {
    evaluate(
        "document.querySelector(%s).scrollIntoView({block: 'center'})".formatted(quoted(selector)));
    JsonNode at =
        evaluate(
            "(() => { const r = document.querySelector(%s).getBoundingClientRect();"
                    .formatted(quoted(selector))
                + " return [r.left + r.width * %s, r.top + r.height / 2]; })()".formatted(share));
    command(
        "Input.dispatchMouseEvent",
        "type",
        "mouseMoved",
        "x",
        at.get(0).asDouble(),
        "y",
        at.get(1).asDouble());
  }

  /** Shows the page as it would be on paper, or on the screen again. */
  public void print(boolean paper) {
    command("Emulation.setEmulatedMedia", "media", paper ? "print" : "");
  }

  /** Sets the size of the page and whether it is dark. */
  public void look(int width, int height, boolean dark) {
    command(
        "Emulation.setDeviceMetricsOverride",
        "width",
        width,
        "height",
        height,
        "deviceScaleFactor",
        1,
        "mobile",
        false);
    command(
        "Emulation.setEmulatedMedia",
        "features",
        List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light")));
  }

  /** Writes a picture of the whole page. */
  public void picture(Path file) throws IOException {
    JsonNode shot =
        command("Page.captureScreenshot", "format", "png", "captureBeyondViewport", true);
    Files.write(file, Base64.getDecoder().decode(shot.path("data").asText()));
  }

  /** Writes a picture of what is to be seen without scrolling. */
  void view(Path file) throws IOException {
    JsonNode shot = command("Page.captureScreenshot", "format", "png");
    Files.write(file, Base64.getDecoder().decode(shot.path("data").asText()));
  }

  /** Returns the memory of the process that shows the page, without what it shares with others. */
  public double rendererMegabytes() {
    return process
        .descendants()
        .filter(child -> commandLine(child.pid()).contains("--type=renderer"))
        .mapToDouble(child -> ownMegabytes(child.pid()))
        .max()
        .orElse(0);
  }

  private static String commandLine(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/cmdline"));
    } catch (IOException e) {
      return "";
    }
  }

  private static double ownMegabytes(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc/" + pid + "/smaps_rollup")).stream()
              .filter(line -> line.matches("Private_(Clean|Dirty):.*"))
              .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
              .sum()
          / 1e3;
    } catch (IOException e) {
      return 0;
    }
  }

  /** Returns errors and warnings of the page so far, such as what its policy refused. */
  public List<String> said() {
    return List.copyOf(listener.said);
  }

  /** Returns the addresses that the page has asked for. */
  public List<String> requested() {
    return List.copyOf(listener.requested);
  }

  public static String quoted(String text) {
    return JSON.valueToTree(text).toString();
  }

  @Override
  public void close() {
    socket.abort();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  private static final class Listener implements WebSocket.Listener {

    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final List<String> requested = new CopyOnWriteArrayList<>();
    private final List<CharSequence> parts = new ArrayList<>();

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      parts.add(data.toString());
      if (last) {
        String text = String.join("", parts);
        parts.clear();
        take(text);
      }
      socket.request(1);
      return CompletableFuture.completedStage(null);
    }

    private void take(String text) {
      try {
        JsonNode message = JSON.readTree(text);
        CompletableFuture<JsonNode> answer =
            message.has("id") ? answers.remove(message.get("id").asInt()) : null;
        if (answer != null) {
          answer.complete(message);
          return;
        }
        JsonNode params = message.path("params");
        switch (message.path("method").asText()) {
          case "Runtime.exceptionThrown" -> said.add(params.path("exceptionDetails").toString());
          case "Log.entryAdded" -> said.add(params.path("entry").path("text").asText());
          case "Runtime.consoleAPICalled" -> said.add(params.path("args").toString());
          case "Network.requestWillBeSent" ->
              requested.add(params.path("request").path("url").asText());
          default -> {
            // not asked for
          }
        }
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
