package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.cluster.log.Event;
import io.deepvm.page.SampleRun;
import io.deepvm.page.browser.Browser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pages of runs as commands serve them, each a process of its own. */
@Timeout(240)
class WatchIT {

  private static final Pattern ADDRESS =
      Pattern.compile("http://127\\.0\\.0\\.1:\\d+/[0-9a-f]{32}/");
  private static final String PLACE = "aws/us-east-1/use1-az1 g5.xlarge";

  @TempDir Path folder;

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void end() throws Exception {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }

  private Process deepvm(Path log, String... words) throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    line.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
    builder.environment().put("XDG_STATE_HOME", folder.resolve("state").toString());
    Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    started.add(process);
    return process;
  }

  private static URI address(Path log) throws Exception {
    await("an address", () -> ADDRESS.matcher(Files.readString(log)).find());
    Matcher matcher = ADDRESS.matcher(Files.readString(log));
    assertThat(matcher.find()).isTrue();
    return URI.create(matcher.group());
  }

  private static void await(String what, Callable<Boolean> so) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
    while (!so.call()) {
      assertThat(System.nanoTime()).as("waiting for " + what).isLessThan(until);
      Thread.sleep(50);
    }
  }

  private static String get(URI address) throws Exception {
    HttpResponse<String> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(address).timeout(Duration.ofSeconds(30)).build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body();
  }

  @Test
  void anOpenPageGoesOnAfterTheCommandWasKilledAndStartedAgain() throws Exception {
    assumeTrue(Browser.isHere(), "There is no chromium here.");
    Path profile = Files.createDirectory(folder.resolve("profile"));
    try (SampleRun run = SampleRun.start(folder.resolve("runs/mine"));
        Browser browser = Browser.start(profile)) {
      run.rent(3, 0, PLACE).form().train(45, 2);
      Process first = deepvm(folder.resolve("first.log"), "watch", "runs");
      URI address = address(folder.resolve("first.log"));
      browser.look(1200, 900, false);
      browser.open(address.resolve("run/mine/"));
      browser.await("document.querySelector('#step').innerText === '45'");
      browser.evaluate("window.same = true");
      first.destroyForcibly().waitFor();
      browser.await("!document.querySelector('#lost').hidden");
      run.train(5, 2).lose("taken by the market");
      deepvm(folder.resolve("second.log"), "watch", "runs");
      // The kept key: the same port and token, which nobody else can read.
      assertThat(address(folder.resolve("second.log"))).isEqualTo(address);
      browser.await("document.querySelector('#step').innerText === '50'");
      browser.await("document.querySelector('#lost').hidden");
      browser.await("document.querySelector('#events').innerText.includes('n3 lost')");
      assertThat(browser.evaluate("window.same").asBoolean()).isTrue();
      long lines = Files.readAllLines(folder.resolve("runs/mine/events.jsonl")).size();
      browser.await("document.documentElement.dataset.events === '%d'".formatted(lines));
    }
    try (var keys = Files.list(folder.resolve("state/deepvm"))) {
      assertThat(keys.toList())
          .hasSize(1)
          .allMatch(key -> PosixFilePermissions.toString(permissions(key)).equals("rw-------"));
    }
  }

  private static java.util.Set<java.nio.file.attribute.PosixFilePermission> permissions(Path file) {
    try {
      return Files.getPosixFilePermissions(file);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void watchOfAFolderThatIsNotThereIsBadInput() {
    Screen screen = Screen.run("watch", folder.resolve("nothing").toString());
    assertThat(screen.exitCode()).isEqualTo(2);
    assertThat(screen.err()).contains("There is no folder");
  }

  @Test
  void aRunThatIsWatchedServesItsPageWithAForecastAndStopsFromThere() throws Exception {
    Screen plan =
        Screen.run(
            "plan",
            "--max-price-per-hour",
            "1.2",
            "--place",
            "aws/us-east-2/use2-az3",
            "--job",
            Path.of(System.getProperty("deepvm.root"), "examples/resnet50.yaml").toString(),
            "--output",
            "json");
    assertThat(plan.exitCode()).isZero();
    Files.writeString(folder.resolve("plan.json"), plan.out());
    Path log = folder.resolve("run.log");
    Process run =
        deepvm(
            log,
            "run",
            "--plan",
            "plan.json",
            "--folder",
            "mine",
            "--watch",
            "--",
            "sh",
            "-c",
            "while :; do sleep 0.2; done");
    URI page = address(log).resolve("run/mine/");
    await("the run", () -> Files.exists(folder.resolve("mine/run.json")));
    await(
        "the forecast", () -> get(page.resolve("facts")).contains("simulated runs on the market"));
    assertThat(get(page.resolve("facts"))).contains("\"place\":\"local\"", "\"name\":\"mine\"");
    await(
        "the training",
        () -> Files.readString(folder.resolve("mine/events.jsonl")).contains("\"TRAINING\""));
    HttpResponse<String> stop =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(page.resolve("stop"))
                    .header("Origin", "http://" + page.getAuthority())
                    .POST(HttpRequest.BodyPublishers.ofString("stop mine"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(stop.statusCode()).isEqualTo(200);
    assertThat(run.waitFor(100, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(log)).contains("stopped on its page");
    assertThat(Files.readString(folder.resolve("mine/events.jsonl"))).contains("\"STOPPED\"");
  }

  @Test
  void aRunThatCannotBeStoppedFromItsPageSaysWhy() throws Exception {
    try (SampleRun run = SampleRun.start(folder.resolve("runs/mine"))) {
      run.rent(1, 0, PLACE).form().add(new Event.Waits(0, 0, "nothing", "nothing"));
    }
    // Not even the place of such a run can be found out.
    Files.writeString(folder.resolve("runs/mine/ssh.json"), "no settings");
    deepvm(folder.resolve("watch.log"), "watch", "runs");
    URI page = address(folder.resolve("watch.log")).resolve("run/mine/");
    HttpResponse<String> stop =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(page.resolve("stop"))
                    .header("Origin", "http://" + page.getAuthority())
                    .POST(HttpRequest.BodyPublishers.ofString("stop mine"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(stop.statusCode()).isEqualTo(200);
    await("the failure", () -> get(page.resolve("stop")).contains("\"failure\""));
    assertThat(get(page.resolve("stop"))).contains("cannot be read", "\"done\":false");
  }
}
