package io.deepvm.cluster.agent;

import static io.deepvm.cluster.link.LinkScene.RUN;
import static io.deepvm.cluster.link.LinkScene.loopback;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.cluster.link.AgentAddress;
import io.deepvm.cluster.link.AgentLinks;
import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.link.LinkScene;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Role;
import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.transport.Security;
import io.deepvm.transport.TokenFile;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Agents as processes, with training processes and a coordinator's links. */
@Timeout(120)
class NodeAgentIT {

  private static final Duration SESSION = Duration.ofSeconds(2);

  @TempDir private Path folder;
  private final LinkScene.Coordinator coordinator = new LinkScene.Coordinator();
  private Path token = Path.of("");
  private @Nullable Process agent;
  private long version;

  @BeforeEach
  void writeToken() throws IOException {
    token =
        Files.createFile(
            folder.resolve("token"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(token, "0123456789abcdef0123456789abcdef");
  }

  @AfterEach
  void endAgent() throws InterruptedException {
    Process running = agent;
    if (running != null) {
      running.descendants().forEach(ProcessHandle::destroyForcibly);
      running.destroyForcibly().waitFor();
    }
  }

  private static Work command(String script, double orphanSeconds) {
    return new Work(
        List.of("sh", "-c", script),
        Work.Kind.COMMAND,
        Map.of(),
        "",
        0,
        "",
        new Work.Timeouts(2, 30, 5, 10, orphanSeconds));
  }

  private AgentLinks links(int port, Work work) throws IOException {
    return AgentLinks.open(
        new AgentLinks.Options(
            RUN,
            loopback(port),
            Security.of(new TokenFile(token)),
            JsonMapper.builder().build().writeValueAsString(work),
            SESSION,
            AgentLinks.COME_BACK,
            Runnable::run,
            System::nanoTime),
        coordinator);
  }

  private Process start(AgentContact contact) throws IOException {
    NodeStart start =
        new NodeStart(
            RUN,
            "n1",
            Role.WORKER,
            contact,
            token.toString(),
            "127.0.0.1",
            folder.toString(),
            new NodeStart.Machine("type", 1, 0));
    ProcessBuilder builder =
        new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            AgentMain.class.getName());
    builder.environment().putAll(start.environment());
    builder.redirectErrorStream(true);
    builder.redirectOutput(folder.resolve("agent.log").toFile());
    agent = builder.start();
    return agent;
  }

  private Process dial(AgentLinks links) throws IOException {
    return start(new AgentContact.Dial("127.0.0.1", links.port()));
  }

  private AgentOrders orders(long epoch, int masterPort, @Nullable String stop) {
    version++;
    return new AgentOrders(
        epoch,
        version,
        new AgentOrders.Formation(
            1, List.of(new Member("n1", Role.WORKER, "127.0.0.1", 0)), 0, masterPort),
        new AgentOrders.ProcessOrders(0, 0, ""),
        null,
        stop,
        LogRanks.ALL);
  }

  /** Brings the command of generation 1 up. */
  private void launch(AgentLinks links) throws InterruptedException {
    links.send("n1", orders(1, 0, null));
    AgentStatus cleared = coordinator.awaitStatus("cleared", s -> s.barrier().cleared() == 1);
    assertThat(cleared.barrier().masterPort()).isPositive();
    links.send("n1", orders(1, cleared.barrier().masterPort(), null));
    AgentStatus unused = coordinator.awaitStatus("launched", s -> s.barrier().launched() == 1);
  }

  @Test
  void aCommandIsLaunchedItsOutputArrivesAndItsEndIsReported() throws Exception {
    try (AgentLinks links =
        links(0, command("echo rank $RANK of $WORLD_SIZE; echo no >&2; exit 3", 30))) {
      Process process = dial(links);
      launch(links);
      AgentStatus ended = coordinator.awaitStatus("exit", s -> s.process().exit() != null);
      assertThat(ended.process().exit()).isEqualTo(new AgentStatus.Exit(1, 1, 3, "no", null));
      coordinator.awaitPrinted(1);
      links.received("n1", 1);
      coordinator.awaitLines(2);
      assertThat(coordinator.printed().stream().flatMap(part -> part.lines().stream()))
          .contains(
              new PrintedLine(0, PrintedLine.Pipe.OUT, "rank 0 of 1"),
              new PrintedLine(0, PrintedLine.Pipe.ERR, "no"));
      coordinator.printed().forEach(part -> links.received("n1", part.number()));
      links.send("n1", orders(1, 0, "over"));
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      assertThat(folder.resolve("agent.log")).content().contains("It ends: over.");
    }
  }

  @Test
  void anAgentThatIsKilledIsReportedAtOnceAndItsProcessEndsToo() throws Exception {
    try (AgentLinks links = links(0, command("echo $$ >pid; exec sleep 1000", 30))) {
      Process process = dial(links);
      launch(links);
      long trainer = trainer();
      long began = System.nanoTime();
      process.destroyForcibly();
      assertThat(coordinator.awaitSilent())
          .isEqualTo("n1: its connection broke and it did not come back");
      Duration took = Duration.ofNanos(System.nanoTime() - began);
      System.out.println("A killed agent was reported after %d ms.".formatted(took.toMillis()));
      assertThat(took).isLessThan(Duration.ofSeconds(1));
      awaitEnd(trainer);
    }
  }

  @Test
  void anAgentThatIsStoppedIsReportedAfterASessionAndMayComeBack() throws Exception {
    try (AgentLinks links = links(0, command("exec sleep 1000", 30))) {
      Process process = dial(links);
      launch(links);
      send("STOP", process);
      long began = System.nanoTime();
      assertThat(coordinator.awaitSilent()).isEqualTo("n1: no status for 2.0 s");
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofSeconds(1));
      coordinator.forget();
      send("CONT", process);
      coordinator.awaitStatus("n1", 1);
      assertThat(coordinator.silent()).hasSize(1);
    }
  }

  @Test
  void anAgentGoesOnWhileItsCoordinatorIsReplaced() throws Exception {
    Work work = command("echo $$ >pid; exec sleep 1000", 30);
    AgentLinks first = links(0, work);
    int port = first.port();
    Process process = dial(first);
    launch(first);
    long trainer = trainer();
    first.close();
    coordinator.forget();
    try (AgentLinks second = links(port, work)) {
      AgentStatus status = coordinator.awaitStatus("status", s -> s.barrier().launched() == 1);
      assertThat(status.process().exit()).isNull();
      assertThat(ProcessHandle.of(trainer)).isPresent();
      second.send("n1", orders(2, 0, "over"));
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
      awaitEnd(trainer);
    }
  }

  @Test
  void anAgentWithoutACoordinatorEndsWithItsProcess() throws Exception {
    AgentLinks links = links(0, command("echo $$ >pid; exec sleep 1000", 2));
    Process process = dial(links);
    launch(links);
    long trainer = trainer();
    links.close();
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    awaitEnd(trainer);
    assertThat(folder.resolve("agent.log"))
        .content()
        .contains("It ends: no coordinator for 2.0 s.");
  }

  @Test
  void anAgentThatWaitsForItsCoordinatorIsCalled() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    try (AgentLinks links = links(0, command("exec sleep 1000", 30))) {
      Process process = start(new AgentContact.Listen(port));
      links.dial("n1", new AgentAddress(loopback(port), null));
      launch(links);
      links.send("n1", orders(1, 0, "over"));
      assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void anAgentThatDoesNotKnowItsCoordinatorSaysWhatItNeeds() throws Exception {
    Process process = start(new AgentContact.Dial("h", 0));
    assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(2);
    assertThat(folder.resolve("agent.log"))
        .hasContent(
            """
            The variable DEEPVM_COORDINATOR has the port '0', which is not from 1 to 65535.
            Maybe write it like 127.0.0.1:4000.
            """);
  }

  private static void send(String signal, Process process) throws Exception {
    int unused =
        new ProcessBuilder("kill", "-s", signal, Long.toString(process.pid())).start().waitFor();
  }

  /** Returns the number of the training process, once that has written it. */
  private long trainer() throws IOException, InterruptedException {
    Path file = folder.resolve("pid");
    while (!Files.exists(file) || Files.readString(file).isBlank()) {
      Thread.onSpinWait();
    }
    return Long.parseLong(Files.readString(file).strip());
  }

  private static void awaitEnd(long process) throws Exception {
    ProcessHandle handle = ProcessHandle.of(process).orElse(null);
    if (handle != null) {
      ProcessHandle unused = handle.onExit().get(20, TimeUnit.SECONDS);
    }
  }
}
