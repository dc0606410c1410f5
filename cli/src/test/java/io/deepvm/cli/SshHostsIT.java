package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.places.ssh.SshHost;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs on three hosts: network namespaces of this machine, each with Debian's sshd. */
@Timeout(180)
class SshHostsIT {

  private static final String BRIDGE = "dvtest";
  private static final int HOSTS = 3;

  @TempDir private static Path shared;
  private static NamespaceHosts hosts;

  @TempDir private Path folder;

  private record Said(int code, String out, String err) {}

  @BeforeAll
  static void start() throws Exception {
    hosts = NamespaceHosts.start(BRIDGE, "10.217.0", HOSTS, shared);
  }

  @AfterAll
  static void stop() throws Exception {
    if (hosts != null) {
      hosts.close();
    }
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

  /** Writes the hosts; DeepVM's folder on each is below the test's. */
  private String hosts(String more) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int i = 1; i <= HOSTS; i++) {
      SshHost.Login login = hosts.login(i);
      lines.append(
          "- {host: %s, name: h%d, user: %s, port: %d, identity: %s, knownHosts: %s, folder: %s}%n"
              .formatted(
                  login.host(),
                  i,
                  login.user(),
                  login.port(),
                  login.identity(),
                  login.knownHosts(),
                  folder.resolve("host" + i)));
    }
    return "ssh:" + Files.writeString(folder.resolve("hosts.yaml"), lines + more);
  }

  private void await(String what, Callable<Boolean> so) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
    while (!so.call()) {
      assertThat(System.nanoTime()).as("waiting until " + what).isLessThan(until);
      Thread.sleep(50);
    }
  }

  /** Returns the file of a node on whichever host has it. */
  private Optional<Path> ofNode(String node, String name) {
    for (int i = 1; i <= HOSTS; i++) {
      String[] runs = folder.resolve("host" + i).resolve("runs").toFile().list();
      for (String run : runs == null ? new String[0] : runs) {
        Path file = folder.resolve(Path.of("host" + i, "runs", run, "nodes", node, name));
        if (Files.exists(file)) {
          return Optional.of(file);
        }
      }
    }
    return Optional.empty();
  }

  private boolean has(String node, String name, String text) throws IOException {
    Optional<Path> file = ofNode(node, name);
    return file.isPresent() && Files.readString(file.get()).contains(text);
  }

  /** Returns the processes on this machine that carry the tag of a run with this name. */
  private static List<Long> tagged(String run) {
    return ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(
            pid -> {
              try {
                Path file = Path.of("/proc", Long.toString(pid), "environ");
                return new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                    .contains("DEEPVM_TAG=" + run + "-");
              } catch (IOException e) {
                return false;
              }
            })
        .toList();
  }

  @Test
  void threeHostsTrainThroughTheLossOfANodeAndNothingIsLeft() throws Exception {
    Path work = Files.createDirectory(folder.resolve("project"));
    Files.writeString(work.resolve(".gitignore"), "big.bin\n");
    Files.writeString(work.resolve("big.bin"), "not for the hosts");
    Files.writeString(
        work.resolve("train.sh"),
        """
        test -e ready || exit 9
        test ! -e big.bin || exit 8
        echo "rank $RANK of $WORLD_SIZE at $DEEPVM_HOST"
        test "$WORLD_SIZE" = 3 || exit 0
        sleep 1000
        """);
    Process git = new ProcessBuilder("git", "init", "-q", work.toString()).start();
    assertThat(git.waitFor()).isZero();
    String place = hosts("");
    Path run = folder.resolve("three");
    CompletableFuture<Said> end =
        CompletableFuture.supplyAsync(
            () ->
                deepvm(
                    "run",
                    "--on",
                    place,
                    "--folder",
                    run.toString(),
                    "--workdir",
                    work.toString(),
                    "--setup",
                    "echo once >>ready",
                    "--",
                    "sh",
                    "train.sh"));
    await(
        "all train",
        () -> {
          assertThat(end.isDone()).as(() -> String.valueOf(end.join())).isFalse();
          return has("n1", "out.log", "rank 0 of 3 at 10.217.0.")
              && has("n2", "out.log", " of 3 ")
              && has("n3", "out.log", " of 3 ");
        });
    for (String node : List.of("n1", "n2", "n3")) {
      Path log = ofNode(node, "out.log").orElseThrow();
      assertThat(log.resolveSibling("../../work/ready")).hasContent("once");
    }
    String claim = Files.readString(ofNode("n2", "claim").orElseThrow());
    ProcessHandle.of(Long.parseLong(claim.split("@", -1)[0])).orElseThrow().destroyForcibly();
    Said said = end.get(100, TimeUnit.SECONDS);
    assertThat(said.code()).as(said.toString()).isZero();
    assertThat(said.err()).contains("n2 lost").contains("generation 1: n1, n2, n3");
    assertThat(said.out()).contains("finished").contains("1 lost");
    assertThat(run.resolve("nodes/n1/out.log")).content().contains("of 3", "of 2");
    assertThat(run.resolve("nodes/n2/agent.log")).exists();
    assertThat(tagged("three")).as("leaks").isEmpty();
    assertThat(ofNode("n1", "claim")).isEmpty();
    assertThat(deepvm("places", "leftovers", place).out())
        .isEqualTo("Nothing is left on 3 hosts.\n");
  }

  @Test
  void checkSaysWhatIsWrongWithEachHost() throws Exception {
    String place = hosts("");
    Said fine = deepvm("places", "check", place);
    assertThat(fine.code()).as(fine.toString()).isZero();
    assertThat(fine.out()).contains("h1 ", "h2 ", "h3 ", "ready").doesNotContain("not ready");
    Path nothing = Files.createFile(folder.resolve("nothing"));
    String bad =
        hosts(
            """
            - {host: 10.217.0.11, name: strange, identity: %s, knownHosts: %s}
            - {host: 10.217.0.11, name: closed, port: 9}
            - {host: 10.217.0.12, name: greedy, user: root, identity: %s, knownHosts: %s, folder: %s, gpus: 64, type: many}
            """
                .formatted(
                    hosts.login(1).identity(),
                    nothing,
                    hosts.login(2).identity(),
                    hosts.login(2).knownHosts(),
                    folder.resolve("host2")));
    Said said = deepvm("places", "check", bad);
    assertThat(said.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(said.err())
        .contains("strange (10.217.0.11): its key is not known.")
        .contains("closed (10.217.0.11:9): ")
        .contains("Connection refused")
        .contains("greedy (root@10.217.0.12): it has 0 GPUs, and the hosts file says 64.");
    Said refused =
        deepvm("run", "--on", bad, "--folder", folder.resolve("no").toString(), "--", "true");
    assertThat(refused.code()).isEqualTo(Exit.BAD_INPUT);
    assertThat(refused.err()).contains("its key is not known");
    assertThat(tagged("no")).isEmpty();
    assertThat(deepvm("places", "leftovers", hosts(""), "--end").code()).isZero();
  }
}
