package io.deepvm.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageServerIT {

  private static final int PATIENCE_MS = 30_000;

  @TempDir Path folder;

  private final List<Path> stopped = new CopyOnWriteArrayList<>();
  private PageServer server;

  @BeforeEach
  void start() throws IOException {
    try (SampleRun run = SampleRun.start(folder.resolve("mine"))) {
      run.rent(2, 0, "aws/us-east-1/use1-az1 g5.xlarge").form().train(3, 1);
    }
    Files.createDirectories(folder.resolve("mine/nodes/n1"));
    Files.writeString(folder.resolve("mine/nodes/n1/out.log"), "hello\n");
    server = serve(PageKey.fresh());
  }

  private PageServer serve(PageKey key) throws IOException {
    return PageServer.start(
        key, new io.deepvm.page.watch.WatchSite(folder, Clock.systemUTC(), stopped::add));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void itListensOnLoopbackOnly() throws Exception {
    // The kernel's table of sockets, not what the server says of itself.
    assertThat(boundTo(server.key().port())).containsExactly("0100007F");
    for (InetAddress address : addressesOfThisMachine()) {
      assertThatThrownBy(() -> new Socket(address, server.key().port()).close())
          .as(address.toString())
          .isInstanceOf(ConnectException.class);
    }
    assertThat(server.address().getPath()).isEqualTo("/" + server.key().token() + "/");
  }

  /** Returns the addresses on which some process listens at a port, as hexadecimal digits. */
  private static List<String> boundTo(int port) throws IOException {
    List<String> bound = new ArrayList<>();
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      if (!Files.exists(Path.of(table))) {
        continue;
      }
      for (String line : Files.readAllLines(Path.of(table))) {
        String[] columns = line.strip().split(" +", -1);
        String[] local = columns[1].split(":", -1);
        boolean listens = columns[3].equals("0A");
        if (listens && Integer.parseInt(local[1], 16) == port) {
          bound.add(local[0].length() > 8 ? shortened(local[0]) : local[0]);
        }
      }
    }
    return bound;
  }

  /** A socket of IPv6 that serves an address of IPv4 has that address at its end. */
  private static String shortened(String address) {
    return address.startsWith("0000000000000000FFFF0000") ? address.substring(24) : address;
  }

  private static List<InetAddress> addressesOfThisMachine() throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
        .toList();
  }

  @Test
  void thePageAndItsFilesComeWithAStrictPolicy() throws Exception {
    String page = get("/" + server.key().token() + "/", ours());
    assertThat(page)
        .startsWith("HTTP/1.1 200")
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .containsIgnoringCase("x-content-type-options: nosniff")
        .containsIgnoringCase("referrer-policy: no-referrer")
        .doesNotContain("unsafe");
    assertThat(get("/" + server.key().token() + "/files/uplot.js", ours()))
        .containsIgnoringCase("content-type: text/javascript");
  }

  @Test
  void anAddressWithoutTheTokenIsRefused() throws Exception {
    for (String path :
        List.of("/", "/run/mine/", "/" + "0".repeat(32) + "/", "/%2e%2e/", "/runs")) {
      assertThat(get(path, ours())).as(path).startsWith("HTTP/1.1 403").doesNotContain("mine");
    }
  }

  @Test
  void aForeignHostIsRefusedEvenWithTheToken() throws Exception {
    String path = "/" + server.key().token() + "/runs";
    assertThat(get(path, ours())).startsWith("HTTP/1.1 200").contains("\"id\":\"mine\"");
    for (String host :
        List.of(
            "evil.example",
            "evil.example:" + server.key().port(),
            "127.0.0.1",
            "127.0.0.1:1",
            "0.0.0.0:" + server.key().port())) {
      assertThat(get(path, host)).as(host).startsWith("HTTP/1.1 403");
    }
    assertThat(exchange("GET " + path + " HTTP/1.0\r\n\r\n")).contains(" 403 ");
    assertThat(
            exchange(
                "GET %s HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
                    .formatted(path, ours())))
        .contains(" 403 ");
  }

  @Test
  void noPathLeavesTheFolder() throws Exception {
    String token = server.key().token();
    for (String path :
        List.of(
            "/files/../../../etc/passwd",
            "/files/%2e%2e%2fPageServer.class",
            "/files/PageServer.class",
            "/files/..%2f..%2fmine%2ftoken.html",
            "/run/..%2f/facts",
            "/run/%2e%2e/facts",
            "/run/mine/logs/..",
            "/run/mine/logs/..%2f..",
            "/run/mine/logs/%00",
            "/run/mine/token",
            "/nothing")) {
      assertThat(get("/" + token + path, ours())).as(path).startsWith("HTTP/1.1 404");
    }
  }

  @Test
  void aLinkInANodesFolderIsNotFollowed() throws Exception {
    Path secret = Files.writeString(folder.resolve("secret"), "very secret");
    Files.createSymbolicLink(folder.resolve("mine/nodes/n1/err.log"), secret);
    String logs = get("/" + server.key().token() + "/run/mine/logs/n1", ours());
    assertThat(logs).contains("hello").doesNotContain("very secret");
  }

  @Test
  void stoppingWantsAPageOfThisServerAndTheNameOfTheRun() throws Exception {
    String path = "/" + server.key().token() + "/run/mine/stop";
    String origin = "Origin: http://" + ours();
    assertThat(get(path, ours())).startsWith("HTTP/1.1 200").contains("\"asked\":false");
    assertThat(post(path, "", "stop mine")).startsWith("HTTP/1.1 403");
    assertThat(post(path, "Origin: http://evil.example\r\n", "stop mine"))
        .startsWith("HTTP/1.1 403");
    assertThat(post(path, "Origin: null\r\n", "stop mine")).startsWith("HTTP/1.1 403");
    assertThat(post(path, origin + "\r\n", "stop other")).startsWith("HTTP/1.1 404");
    assertThat(stopped).isEmpty();
    assertThat(post(path, origin + "\r\n", "stop mine")).startsWith("HTTP/1.1 200");
    await(() -> get(path, ours()).contains("\"done\":true"));
    assertThat(stopped).containsExactly(folder.resolve("mine").toAbsolutePath());
  }

  @Test
  void aStopThatFailsIsReported() throws Exception {
    server.close();
    server =
        PageServer.start(
            PageKey.fresh(),
            new io.deepvm.page.watch.WatchSite(
                folder,
                Clock.systemUTC(),
                run -> {
                  throw new BadInput("The run did not end within 60 s.", "Maybe it hangs.");
                }));
    String path = "/" + server.key().token() + "/run/mine/stop";
    post(path, "Origin: http://" + ours() + "\r\n", "stop mine");
    await(() -> get(path, ours()).contains("did not end within 60 s. Maybe it hangs."));
    assertThat(get(path, ours())).contains("\"done\":false");
  }

  @Test
  void aRunThatCannotBeReadIsARowAmongTheOthers() throws Exception {
    SampleRun.start(folder.resolve("nonsense")).close();
    Files.writeString(folder.resolve("nonsense/events.jsonl"), "{\"event\":\"nonsense\"}\n");
    // A folder in place of the log: it opens, and fails to be read.
    SampleRun.start(folder.resolve("failing")).close();
    Files.delete(folder.resolve("failing/events.jsonl"));
    Files.createDirectories(folder.resolve("failing/events.jsonl/inside"));
    String runs = get("/" + server.key().token() + "/runs", ours());
    assertThat(runs)
        .startsWith("HTTP/1.1 200")
        .contains("\"id\":\"mine\",\"state\":\"TRAINING\"")
        .contains("\"id\":\"nonsense\",\"state\":\"UNREADABLE\"")
        .contains("\"id\":\"failing\",\"state\":\"UNREADABLE\"");
  }

  /** Something that is true sooner or later. */
  @FunctionalInterface
  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(Condition condition) throws Exception {
    for (int i = 0; i < PATIENCE_MS / 20; i++) {
      if (condition.holds()) {
        return;
      }
      Thread.sleep(20);
    }
    throw new AssertionError("It never came true.");
  }

  @Test
  void aKeptKeyLeadsToTheSameAddressAndIsPrivate() throws Exception {
    Path file = folder.resolve("page.key");
    server.key().keep(file);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    URI before = server.address();
    server.close();
    server = serve(PageKey.kept(file));
    assertThat(server.address()).isEqualTo(before);
    try (PageServer other = serve(PageKey.kept(file))) {
      assertThat(other.address().getPort()).isNotEqualTo(before.getPort());
    }
  }

  @Test
  void aKeyThatMakesNoSenseIsReplaced() throws Exception {
    Path file = folder.resolve("page.key");
    for (String text : List.of("", "1 2", "99999 " + "a".repeat(32), "80 " + "x".repeat(32))) {
      new PageKey(0, "a").keep(file);
      Files.writeString(file, text);
      assertThat(PageKey.kept(file).token()).as(text).matches("[0-9a-f]{32}");
      assertThat(PageKey.kept(file).port()).isZero();
    }
  }

  @Test
  void feedsBeyondTheMostAreRefusedAndOthersGoOn() throws Exception {
    String head =
        "GET /%s/run/mine/events HTTP/1.1\r\nHost: %s\r\n\r\n"
            .formatted(server.key().token(), ours());
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < 24; i++) {
        Socket socket = connect();
        open.add(socket);
        socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
        assertThat(line(socket.getInputStream())).contains("200");
      }
      assertThat(exchange(head.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))
          .contains(" 404 ");
      assertThat(get("/" + server.key().token() + "/runs", ours())).startsWith("HTTP/1.1 200");
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  private String ours() {
    return "127.0.0.1:" + server.key().port();
  }

  private String get(String path, String host) throws IOException {
    return exchange(
        "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(path, host));
  }

  private String post(String path, String headers, String body) throws IOException {
    return exchange(
        "POST %s HTTP/1.1\r\nHost: %s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s"
            .formatted(path, ours(), headers, body.length(), body));
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.key().port());
    socket.setSoTimeout(PATIENCE_MS);
    return socket;
  }

  private String exchange(String request) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
      line.append((char) b);
    }
    return line.toString();
  }
}
