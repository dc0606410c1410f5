package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.testing.TaggedProcesses;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose coordinator works on one of three hosts, behind real ssh. */
@Timeout(600)
class AnchoredRunIT {

  private static final int HOSTS = 3;
  private static final Pattern ADDRESS = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/\\S*");

  @TempDir private static Path shared;
  private static NamespaceHosts hosts;

  @TempDir private Path folder;
  private final List<Process> computers = new ArrayList<>();

  private record Said(int code, String out, String err) {}

  @BeforeAll
  static void start() throws Exception {
    hosts = NamespaceHosts.start("dvanch", "10.218.0", HOSTS, shared);
  }

  @AfterAll
  static void stop() throws Exception {
    if (hosts != null) {
      hosts.close();
    }
  }

  @AfterEach
  void end() {
    computers.forEach(Process::destroyForcibly);
    coordinators().forEach(ProcessHandle::destroyForcibly);
  }

  private static Said deepvm(String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Terminal terminal =
        new Terminal(
            new PrintWriter(out), new PrintWriter(err), false, false, true, Clock.systemUTC());
    int code = Main.run(terminal, words);
    return new Said(code, out.toString(), err.toString());
  }

  /** Starts a command in a process that stands for the user's computer. */
  private Process computer(String log, String... words) throws IOException {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName()));
    line.addAll(List.of(words));
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(log).toFile())
            .start();
    computers.add(process);
    return process;
  }

  /** Writes the hosts; the first has the given type. */
  private String place(String firstType) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= HOSTS; i++) {
      SshHost.Login login = hosts.login(i);
      lines.append(
          "- {host: %s, name: h%d, user: %s, port: %d, identity: %s, knownHosts: %s, authorizedKeys: %s, folder: %s, type: %s}%n"
              .formatted(
                  login.host(),
                  i,
                  login.user(),
                  login.port(),
                  login.identity(),
                  login.knownHosts(),
                  login.authorizedKeys(),
                  folder.resolve("host" + i),
                  i == 1 ? firstType : "host"));
    }
    return "ssh:" + Files.writeString(folder.resolve("hosts.yaml"), lines);
  }

  /** Writes a script that trains until the file finish is there. */
  private Path work() throws IOException {
    Path work = Files.createDirectory(folder.resolve("project"));
    Files.writeString(
        work.resolve("train.sh"),
        """
        echo "rank $RANK of $WORLD_SIZE at $DEEPVM_HOST"
        while [ ! -e %s ]; do sleep 0.2; done
        echo "done $RANK"
        """
            .formatted(folder.resolve("finish")));
    return work;
  }

  private void await(String what, Callable<Boolean> so) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(200);
    while (!so.call()) {
      assertThat(System.nanoTime())
          .as(() -> "waiting until " + what + "\n" + logs())
          .isLessThan(until);
      Thread.sleep(50);
    }
  }

  private String logs() {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file :
          files
              .filter(f -> f.toString().endsWith(".log") || f.toString().endsWith(".txt"))
              .toList()) {
        all.append("--- ").append(file).append('\n').append(Files.readString(file)).append('\n');
      }
    } catch (IOException e) {
      all.append(e);
    }
    return all.toString();
  }

  /** Returns how many nodes train among so many. */
  private long training(int world) throws IOException {
    long count = 0;
    for (int i = 1; i <= HOSTS; i++) {
      Path runs = folder.resolve("host" + i).resolve("runs");
      if (!Files.isDirectory(runs)) {
        continue;
      }
      try (Stream<Path> files = Files.walk(runs)) {
        for (Path file : files.filter(f -> f.endsWith("out.log")).toList()) {
          count += Files.readString(file).contains("of %d at".formatted(world)) ? 1 : 0;
        }
      }
    }
    return count;
  }

  /** Returns the coordinators of this test. */
  private List<ProcessHandle> coordinators() {
    return ProcessHandle.allProcesses().filter(this::isCoordinator).toList();
  }

  private boolean isCoordinator(ProcessHandle process) {
    try {
      byte[] bytes = Files.readAllBytes(Path.of("/proc", "" + process.pid(), "cmdline"));
      String line = new String(bytes, StandardCharsets.UTF_8);
      return line.contains(folder.toString())
          && line.contains("-Ddeepvm.runtime=")
          && line.contains("io.deepvm.cli.Main\0run\0");
    } catch (IOException e) {
      return false;
    }
  }

  private void assertNothingIsLeft(String name) throws Exception {
    await("the coordinator ends", () -> coordinators().isEmpty());
    assertThat(TaggedProcesses.startingWith(name + "-")).isEmpty();
    for (int i = 1; i <= HOSTS; i++) {
      assertThat(Path.of(String.valueOf(hosts.login(i).authorizedKeys())))
          .content()
          .doesNotContain("deepvm:");
      assertThat(folder.resolve("host" + i).resolve("runs")).isEmptyDirectory();
    }
  }

  @Test
  void theRunGoesOnAndEndsWithoutTheComputerThatStartedIt() throws Exception {
    String place = place("anchor");
    String run = folder.resolve("night").toString();
    Process laptop =
        computer(
            "laptop.txt",
            "run",
            "--on",
            place,
            "--coordinator-on",
            "anchor",
            "--folder",
            run,
            "--workdir",
            work().toString(),
            "--",
            "sh",
            "train.sh");
    await(
        "two hosts train",
        () -> {
          assertThat(laptop.isAlive()).as(this::logs).isTrue();
          return training(2) == 2;
        });
    assertThat(coordinators()).hasSize(1);
    assertThat(Path.of(run, "coordinator.json"))
        .satisfies(f -> assertThat(Files.getPosixFilePermissions(f)).hasSize(2));
    laptop.destroyForcibly().waitFor();

    Said status = deepvm("status", run);
    assertThat(status.code()).as(status.toString()).isZero();
    assertThat(status.out()).contains("training", "Coordinator: on h1.");
    await("its output arrives", () -> deepvm("logs", run).out().contains("rank 0 of 2 at"));
    assertThat(readThePage(run)).isEqualTo(200);

    Files.createFile(folder.resolve("finish"));
    await("the run ends", () -> coordinators().isEmpty());
    Said end = deepvm("status", run);
    assertThat(end.out()).as(end.toString()).contains("finished").doesNotContain("Coordinator");
    assertThat(Path.of(run, "nodes/n1/out.log")).content().contains("of 2 at", "done");
    assertThat(Path.of(run, "coordinator.json")).doesNotExist();
    assertThat(folder.resolve("host1/coordinators")).isEmptyDirectory();
    assertNothingIsLeft("night");
  }

  /** Opens the live page through ssh, and returns the status of the answer. */
  private int readThePage(String run) throws Exception {
    StringWriter out = new StringWriter();
    Terminal terminal =
        new Terminal(
            new PrintWriter(out),
            new PrintWriter(new StringWriter()),
            false,
            false,
            true,
            Clock.systemUTC());
    Thread watch = new Thread(() -> Main.run(terminal, "watch", run));
    watch.start();
    try {
      await("the page is served", () -> ADDRESS.matcher(out.toString()).find());
      Matcher address = ADDRESS.matcher(out.toString());
      assertThat(address.find()).isTrue();
      return HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.NORMAL)
          .build()
          .send(
              HttpRequest.newBuilder(URI.create(address.group())).build(),
              HttpResponse.BodyHandlers.ofString())
          .statusCode();
    } finally {
      watch.interrupt();
      watch.join();
    }
  }

  @Test
  void aKilledCoordinatorIsStartedAgainWhereItWasAndStopEndsAll() throws Exception {
    String place = place("host");
    String run = folder.resolve("twice").toString();
    Process laptop =
        computer(
            "laptop.txt",
            "run",
            "--on",
            place,
            "--coordinator-on",
            "h1",
            "--folder",
            run,
            "--workdir",
            work().toString(),
            "--",
            "sh",
            "train.sh");
    await(
        "three hosts train",
        () -> {
          assertThat(laptop.isAlive()).as(this::logs).isTrue();
          return training(3) == 3;
        });
    coordinators().forEach(ProcessHandle::destroyForcibly);
    assertThat(laptop.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(folder.resolve("laptop.txt"))
        .content()
        .contains("The coordinator on h1 ended, and the run is not over.");
    assertThat(deepvm("status", run).out()).contains("Coordinator: was on h1, and has ended.");
    assertThat(TaggedProcesses.startingWith("twice-")).isNotEmpty();

    Process again = computer("again.txt", "run", "--resume", "--folder", run);
    await("it coordinates again", () -> coordinators().size() == 1);
    await("h1 says so", () -> deepvm("status", run).out().contains("Coordinator: on h1."));
    Said stop = deepvm("stop", run);
    assertThat(stop.code()).as(stop + logs()).isZero();
    assertThat(stop.out()).contains("stopped");
    assertThat(again.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertNothingIsLeft("twice");
    assertThat(deepvm("status", run).out()).contains("stopped");
  }

  @Test
  void anotherComputerGoesOnFromTheStoreAfterTheAnchorIsLost() throws Exception {
    String place = place("anchor");
    String run = folder.resolve("night").toString();
    String store = folder.resolve("store").toString();
    Path saved = folder.resolve("saved");
    Path work = work();
    Files.writeString(
        work.resolve("train.sh"),
        """
        s=$(cat %1$s 2>/dev/null || echo 0)
        echo "rank $RANK of $WORLD_SIZE at $DEEPVM_HOST"
        echo "$RANK $s" >>%2$s
        while [ ! -e %3$s ]; do
          s=$((s + 1))
          if [ "$RANK" = 0 ]; then echo "$s" >%1$s.new && mv %1$s.new %1$s; fi
          sleep 0.1
        done
        """
            .formatted(saved, folder.resolve("starts"), folder.resolve("finish")));
    Process laptop =
        computer(
            "laptop.txt",
            "run",
            "--on",
            place,
            "--coordinator-on",
            "anchor",
            "--store",
            store,
            "--folder",
            run,
            "--workdir",
            work.toString(),
            "--",
            "sh",
            "train.sh");
    await(
        "two hosts train",
        () -> {
          assertThat(laptop.isAlive()).as(this::logs).isTrue();
          return training(2) == 2 && Files.exists(saved);
        });
    laptop.destroyForcibly().waitFor();
    coordinators().forEach(ProcessHandle::destroyForcibly);
    hosts.link(1, "down");
    try {
      Path elsewhere = Files.createDirectory(folder.resolve("elsewhere")).resolve("night");
      long step = Long.parseLong(Files.readString(saved).strip());
      Process other =
          computer(
              "other.txt",
              "run",
              "--resume",
              "--from-store",
              store,
              "--on",
              place,
              "--folder",
              elsewhere.toString());
      await(
          "the other computer coordinates",
          () -> {
            assertThat(other.isAlive()).as(this::logs).isTrue();
            return Files.exists(elsewhere.resolve("port"));
          });
      await("training goes on", () -> Long.parseLong(Files.readString(saved).strip()) > step + 10);
      Files.createFile(folder.resolve("finish"));
      assertThat(other.waitFor(100, TimeUnit.SECONDS)).as(this::logs).isTrue();
      assertThat(other.exitValue()).as(this::logs).isZero();
      // A rank may start again, but never behind the step that was saved.
      List<String> starts = Files.readAllLines(folder.resolve("starts"));
      assertThat(starts).hasSizeBetween(2, 4);
      assertThat(starts.subList(2, starts.size()))
          .allSatisfy(
              line ->
                  assertThat(Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                      .isGreaterThanOrEqualTo(step));
      assertThat(deepvm("status", elsewhere.toString()).out()).contains("finished");
      Said late =
          deepvm("run", "--resume", "--from-store", store, "--on", place, "--folder", run + "2");
      assertThat(late.err()).contains("has no copy of a run called night2");
    } finally {
      hosts.link(1, "up");
    }
    assertThat(TaggedProcesses.startingWith("night-")).isEmpty();
    for (int i = 2; i <= HOSTS; i++) {
      assertThat(Path.of(String.valueOf(hosts.login(i).authorizedKeys())))
          .content()
          .doesNotContain("deepvm:");
    }
  }

  @Test
  void aHostThatCannotCoordinateOrIsAwayIsOneClearLine() throws Exception {
    String place = place("host");
    String run = folder.resolve("no").toString();
    Said unknown =
        deepvm("run", "--on", place, "--coordinator-on", "h4", "--folder", run, "--", "true");
    assertThat(unknown.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(unknown.err()).contains("The hosts file has no host 'h4'.").contains("Maybe");
    Said anchor =
        deepvm("run", "--on", place, "--coordinator-on", "anchor", "--folder", run, "--", "true");
    assertThat(anchor.err()).contains("No host of the file has the type anchor.");
    Said aws = deepvm("run", "--on", "aws", "--coordinator-on", "anchor", "--folder", run);
    assertThat(aws.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(aws.err())
        .contains("--coordinator-on is for hosts that ssh reaches, and the run is on aws.");
    assertThat(Path.of(run, "coordinator.json")).doesNotExist();

    Path away = Files.createDirectory(folder.resolve("away"));
    Files.writeString(
        away.resolve("coordinator.json"),
        """
        {"host": {"name": "h9", "login": {"host": "10.218.0.11", "port": 9, "knownHosts": "%s"},
         "folder": "x", "type": "host", "gpus": 0}, "run": "away-1", "name": "away", "runtime": "0"}
        """
            .formatted(hosts.login(1).knownHosts()));
    for (String command : List.of("status", "logs", "stop", "watch")) {
      Said said = deepvm(command, away.toString());
      assertThat(said.code()).as(command).isEqualTo(Exit.BAD_INPUT);
      assertThat(said.err())
          .as(command)
          .contains("The coordinator's host cannot be asked: h9 (10.218.0.11:9): ")
          .contains("Connection refused");
    }
  }
}
