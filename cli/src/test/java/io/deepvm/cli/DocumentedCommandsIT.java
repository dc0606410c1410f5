package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs what README, the documents and the help texts tell a user to type. */
@Timeout(600)
class DocumentedCommandsIT {

  private static final Path ROOT =
      Path.of(System.getProperty("deepvm.root", "..")).toAbsolutePath();

  @TempDir Path scratch;

  @Test
  void everyDocumentedCommandRunsToItsEnd() throws Exception {
    Path folder = Files.createDirectory(scratch.resolve("user"));
    Path said = scratch.resolve("report.txt");
    HttpServer store = emptyBucket();
    Process process = start(folder, said, store.getAddress().getPort());
    try {
      boolean ended = process.waitFor(9, TimeUnit.MINUTES);
      String report = Files.readString(said);
      assertThat(ended).as(report).isTrue();
      assertThat(process.exitValue()).as(report).isZero();
      for (DocumentedPage page : DocumentedPage.all(ROOT)) {
        for (String line : page.lines()) {
          assertThat(report).contains(page.name() + ": " + line);
        }
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      store.stop(0);
    }
  }

  @Test
  void commandsThatAreLeftToOtherTestsAreRunThere() throws Exception {
    for (SmallSizes.Elsewhere other : SmallSizes.ELSEWHERE) {
      assertThat(Files.readString(ROOT.resolve(other.test())))
          .as(other.command())
          .contains("  @Test\n  void " + other.method() + "()");
    }
  }

  @Test
  void aShellLineIsReadAsAShellReadsIt() {
    assertThat(ShellLine.parse("A=1 b 'c d' --e=\"f g\" > h.txt && i & # j").steps())
        .containsExactly(
            new ShellLine.Step(Map.of("A", "1"), List.of("b", "c d", "--e=f g"), "h.txt", false),
            new ShellLine.Step(Map.of(), List.of("i"), null, true));
  }

  /** Starts the commands in a process of their own, whose folder is the user's. */
  private Process start(Path folder, Path said, int storePort) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Ddeepvm.root=" + ROOT,
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                DocumentedCommands.class.getName(),
                ROOT.toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    Path own =
        Files.createDirectory(
            scratch.resolve("own"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    builder
        .environment()
        .putAll(
            Map.of(
                "DEEPVM_AGENT", own.resolve("agent.sock").toString(),
                "XDG_CONFIG_HOME", own.toString(),
                "PYTHONDONTWRITEBYTECODE", "1",
                "AWS_ENDPOINT_URL", "http://127.0.0.1:" + storePort,
                "AWS_REGION", "us-east-1",
                "AWS_ACCESS_KEY_ID", "user",
                "AWS_SECRET_ACCESS_KEY", "secret"));
    return builder.start();
  }

  /** Starts an object store whose buckets list nothing; it creates an object once if asked to. */
  private static HttpServer emptyBucket() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] listing =
        "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
            .getBytes(StandardCharsets.UTF_8);
    Set<String> created = ConcurrentHashMap.newKeySet();
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          boolean get = exchange.getRequestMethod().equals("GET");
          boolean again =
              exchange.getRequestHeaders().containsKey("If-None-Match")
                  && !created.add(exchange.getRequestURI().getPath());
          exchange.sendResponseHeaders(again ? 412 : 200, get ? listing.length : -1);
          if (get) {
            exchange.getResponseBody().write(listing);
          }
          exchange.close();
        });
    server.start();
    return server;
  }
}
