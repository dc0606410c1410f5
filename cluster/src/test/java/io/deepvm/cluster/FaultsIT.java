package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.member.Role;
import io.deepvm.places.Cloud;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import io.deepvm.places.local.LocalCloud;
import io.deepvm.places.local.LocalOptions;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultsIT {

  @TempDir Path folder;

  private Path home() {
    return folder.resolve("run");
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Scene.awaitNothingLeft(home());
    if (Files.exists(home().resolve("port"))) {
      int port = RunFolder.of(home()).port();
      // Another program that asks the kernel for any port may be given the one that was freed.
      long until = System.nanoTime() + Scene.PATIENCE.toNanos();
      while (listens(port) && System.nanoTime() < until) {
        Thread.sleep(100);
      }
      assertThat(listens(port)).isFalse();
    }
  }

  private static boolean listens(int port) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      // A socket that is given the port it asks for as its own answers itself.
      return socket.getLocalPort() != port;
    } catch (ConnectException e) {
      return false;
    }
  }

  private Work work(long steps, double readySeconds, String... fault) throws Exception {
    return work(steps, new Work.Timeouts(6, readySeconds, 2, 20, 15), fault);
  }

  private Work work(long steps, Work.Timeouts timeouts, String... fault) throws Exception {
    Work usual = Scene.member(folder, steps, 20, fault);
    return new Work(usual.command(), usual.kind(), Map.of(), usual.checkpoint(), 1, "", timeouts);
  }

  private RunStatus outcome(Work work) throws Exception {
    try (Run run =
        Run.start(home(), Scene.spec("faults", work), new Scene().keeping(1, Scene.local(1)))) {
      return run.await(Scene.PATIENCE);
    }
  }

  @Test
  void aMemberThatDiesAtOnceFailsTheRunWithItsLastWords() throws Exception {
    RunStatus end = outcome(work(10, 30, "dies"));
    assertThat(end.state()).isEqualTo(RunPhase.FAILED);
    assertThat(end.reason()).contains("ended with code 3").contains("cannot find the data");
  }

  @Test
  void aMemberThatHangsAtItsStartFailsTheRunInBoundedTime() throws Exception {
    RunStatus end = outcome(work(10, 3, "hangs"));
    assertThat(end.state()).isEqualTo(RunPhase.FAILED);
    assertThat(end.reason()).contains("did not get ready within 3.0 s");
  }

  @Test
  void aProgramThatIsNotThereFailsTheRunAtOnce() throws Exception {
    Work usual = work(10, 30);
    RunStatus end =
        outcome(
            new Work(
                List.of("/no/such/trainer"),
                usual.kind(),
                Map.of(),
                usual.checkpoint(),
                5,
                "",
                usual.timeouts()));
    assertThat(end.state()).isEqualTo(RunPhase.FAILED);
    assertThat(end.reason()).startsWith("The command '/no/such/trainer' was not found");
  }

  /** Nodes that are gone as soon as they are granted. */
  private static Scene.Ground stillborn() {
    return (pools, timers, clock) -> {
      Cloud real = new LocalCloud(LocalOptions.atOnce(2), pools, timers, clock);
      return new Stillborn(real, timers, new ArrayList<>());
    };
  }

  private record Stillborn(Cloud cloud, Timers timers, List<Consumer<News>> news) implements Cloud {

    @Override
    public String name() {
      return "stillborn";
    }

    @Override
    public int limit() {
      return 2;
    }

    @Override
    public String prepare(Path folder) throws IOException {
      return cloud.prepare(folder);
    }

    @Override
    public MarketView market() {
      return cloud.market();
    }

    @Override
    public void open(Tenancy tenancy, Consumer<News> listener) {
      news.add(listener);
    }

    private void report(News fact) {
      timers.after(0, () -> news.get(0).accept(fact));
    }

    @Override
    public void order(Order order) {
      report(new News.Granted(order.node(), "0@gone"));
      report(new News.Gone(order.node(), News.Cause.FAILED, null));
    }

    @Override
    public void end(String node, String reason) {
      report(new News.Gone(node, News.Cause.ENDED, null));
    }

    @Override
    public void close() {}
  }

  @Test
  void nodesThatEndBeforeTheyAreHeardAreNotRentedForEver() throws Exception {
    RunStatus end;
    try (Run run =
        Run.start(
            home(), Scene.spec("stillborn", work(10, 30)), new Scene().keeping(2, stillborn()))) {
      end = run.await(Scene.PATIENCE);
    }
    assertThat(end.state()).isEqualTo(RunPhase.FAILED);
    assertThat(end.reason())
        .isEqualTo(
            "5 nodes in a row ended before their agent reported, the last one because the node is"
                + " gone.");
    assertThat(end.nodes()).hasSizeBetween(5, 6);
  }

  @Test
  void moreNodesThanFitAreRefusedBeforeAnythingStarts() {
    assertThatThrownBy(
            () ->
                Run.start(
                    home(),
                    RunSpec.of("many", work(10, 30)).withMinWorkers(5),
                    new Scene().keeping(5, Scene.local(2))))
        .isInstanceOf(BadInput.class)
        .hasMessage("The run needs 5 nodes, the provider has room for 2.");
    assertThat(home()).doesNotExist();
  }

  @Test
  void aPolicyThatWantsMoreThanFitGetsWhatFits() throws Exception {
    Scene scene = new Scene();
    try (Run run =
        Run.start(
            home(), Scene.spec("wants", work(100_000, 30)), scene.keeping(3, Scene.local(2)))) {
      int refused = scene.await(0, e -> e instanceof Event.Refused);
      assertThat(((Event.Refused) scene.events().get(refused).event()).reason())
          .isEqualTo("the provider has room for 2 nodes");
      scene.await(0, Scene.generationOf(2));
      assertThat(run.status().held()).hasSize(2);
    }
  }

  @Test
  void aPortInUseIsNamedAndTheRunCanBeStartedOnceItIsFree() throws Exception {
    RunSpec spec = Scene.spec("port", work(100_000, 30));
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      spec = spec.withPort(taken.getLocalPort());
      RunSpec refused = spec;
      assertThatThrownBy(() -> Run.start(home(), refused, new Scene().keeping(1, Scene.local(1))))
          .isInstanceOf(BadInput.class)
          .hasMessageStartingWith(
              "The coordinator cannot listen on 127.0.0.1:" + taken.getLocalPort());
    }
    Scene scene = new Scene();
    try (Run run = Run.start(home(), spec, scene.keeping(1, Scene.local(1)))) {
      scene.await(0, Scene.run(RunPhase.TRAINING));
      run.stop("it works");
      assertThat(run.await(Scene.PATIENCE).state()).isEqualTo(RunPhase.STOPPED);
    }
  }

  @Test
  void aProcessThatIsKilledIsStartedAgainOnItsNode() throws Exception {
    Scene scene = new Scene();
    RunSpec spec = Scene.spec("crash", work(100_000, 30));
    try (Run run = Run.start(home(), spec, scene.keeping(2, Scene.local(2)))) {
      int trained = scene.await(0, Scene.run(RunPhase.TRAINING));
      scene.agent("n2").children().forEach(ProcessHandle::destroyForcibly);
      int exited = scene.await(trained, e -> e instanceof Event.Exited);
      int one = scene.await(trained, Scene.generationOf(1));
      int both = scene.await(Math.max(exited, one), Scene.generationOf(2));
      scene.await(both, Scene.run(RunPhase.TRAINING));
      RunStatus status = run.status();
      assertThat(status.members()).containsExactly("n1", "n2");
      assertThat(status.restarts()).isEqualTo(1);
      assertThat(status.nodes()).hasSize(2);
    }
  }

  @Test
  void aNodeThatKeepsParametersIsAMemberAndIsReplaced() throws Exception {
    Scene scene = new Scene();
    RunSpec spec = Scene.spec("servers", work(100_000, 30)).withServers(1, 0);
    try (Run run = Run.start(home(), spec, scene.keeping(1, Scene.local(3)))) {
      int two = scene.await(0, Scene.generationOf(2));
      scene.await(two, Scene.run(RunPhase.TRAINING));
      assertThat(run.status().nodes().get(0).role()).isEqualTo(Role.SERVER);
      scene.agent("n1").destroyForcibly();
      int waiting = scene.await(two, Scene.run(RunPhase.WAITING));
      int again = scene.await(waiting, Scene.generationOf(2));
      assertThat(((Event.Generation) scene.events().get(again).event()).members())
          .containsExactly("n2", "n3");
    }
  }

  @Test
  void aServersLastStateIsOnDiskAndNothingIsRentedBeforeItsRunStops() throws Exception {
    Scene scene = new Scene();
    Work work = work(100_000, new Work.Timeouts(6, 30, 20, 20, 15), "parts");
    RunSpec spec = Scene.spec("parting", work).withServers(1, 0);
    try (Run run = Run.start(home(), spec, scene.keeping(2, Scene.local(5)))) {
      int three = scene.await(0, Scene.generationOf(3));
      int trains = scene.await(three, Scene.pastStep(10));
      run.stop("enough");
      int held = scene.await(trains, e -> e instanceof Event.Saved);
      // A coordinator that takes over if this one dies now finds it in the log.
      assertThat(EventLog.read(home().resolve("events.jsonl")))
          .extracting(Logged::event)
          .anyMatch(e -> e instanceof Event.Parting p && p.reason().equals("enough"));
      scene.agent("n2").destroyForcibly();
      scene.await(held, Scene.node(NodeState.LOST));
      int stopping = scene.await(held, Scene.run(RunPhase.STOPPING));
      assertThat(scene.events().subList(held, stopping))
          .extracting(Logged::event)
          .noneMatch(Event.Rented.class::isInstance)
          .anyMatch(e -> e instanceof Event.Saved saved && saved.state().equals("DURABLE"));
      RunStatus end = run.await(Scene.PATIENCE);
      assertThat(end.state()).isEqualTo(RunPhase.STOPPED);
      assertThat(end.reason()).isEqualTo("enough");
    }
  }

  @Test
  void aNodeThatWasFrozenIsReplacedAndEndsItselfWhenItThaws() throws Exception {
    Scene scene = new Scene();
    RunSpec spec = Scene.spec("frozen", work(100_000, 30));
    try (Run run = Run.start(home(), spec, scene.keeping(2, Scene.deaf(Scene.local(9))))) {
      int trained = scene.await(0, Scene.run(RunPhase.TRAINING));
      List<ProcessHandle> node = new ArrayList<>(scene.agent("n1").descendants().toList());
      node.add(scene.agent("n1"));
      assertThat(node).hasSizeGreaterThanOrEqualTo(2);
      for (ProcessHandle process : node) {
        signal("STOP", process);
      }
      int lost = scene.await(trained, Scene.node(NodeState.LOST));
      assertThat(((Event.NodeTurned) scene.events().get(lost).event()).reason())
          .isEqualTo("no status for 6.0 s");
      int replaced = scene.await(lost, Scene.generationOf(2));
      assertThat(((Event.Generation) scene.events().get(replaced).event()).members())
          .as(() -> scene.told())
          .containsExactly("n2", "n3");
      assertThat(node).allMatch(ProcessHandle::isAlive);

      for (ProcessHandle process : node) {
        signal("CONT", process);
      }
      for (ProcessHandle process : node) {
        process.onExit().get(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
      // on a slow machine it was frozen for longer than agents wait for a coordinator
      assertThat(Files.readString(home().resolve("nodes/n1/agent.log")))
          .containsAnyOf("It ends: this node counts as lost", "It ends: no coordinator");
      assertThat(run.status().members()).as(scene::told).containsExactly("n2", "n3");
    }
  }

  private static void signal(String name, ProcessHandle process) throws Exception {
    assertThat(shell("kill -" + name + " " + process.pid())).isEmpty();
  }

  @Test
  void aNodeBehindACutLinkIsReplacedAndEndsItselfWhenTheLinkIsMended() throws Exception {
    assumeTrue(
        Files.isWritable(Path.of("/run")) && root() && Files.exists(Path.of("/usr/sbin/ip")),
        "needs root and iproute2");
    Scene scene = new Scene();
    List<LocalCloud> made = new ArrayList<>();
    LocalOptions shaped = new LocalOptions(9, 0, 0, Map.of(), Bandwidth.ofMbps(200));
    Scene.Ground ground =
        (pools, timers, clock) -> {
          made.add(new LocalCloud(shaped, pools, timers, clock));
          return new Deaf(made.get(0));
        };
    RunSpec spec = Scene.spec("cut", work(100_000, 30));
    // What a run that died left behind.
    shell("ip link add dvb00000bad type bridge");
    shell("ip link set dvb00000bad alias 4194303@1");
    shell("ip netns add deepvm-00000bad-n1");
    try (Run run = Run.start(home(), spec, scene.keeping(2, ground))) {
      int trained = scene.await(0, Scene.run(RunPhase.TRAINING));
      ProcessHandle agent = scene.agent("n1");
      assertThat(shell("ip netns list")).doesNotContain("00000bad");
      assertThat(shell("ip -o link")).doesNotContain("00000bad");
      made.get(0).cut("n1", true);
      int lost = scene.await(trained, Scene.node(NodeState.LOST));
      int replaced = scene.await(lost, Scene.generationOf(2));
      assertThat(((Event.Generation) scene.events().get(replaced).event()).members())
          .containsExactly("n2", "n3");
      made.get(0).cut("n1", false);
      agent.onExit().get(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(Files.readString(home().resolve("nodes/n1/agent.log"))).contains("It ends: ");
      assertThat(run.status().members()).containsExactly("n2", "n3");
    }
    assertThat(shell("ip -o link")).doesNotContain(home().toString());
  }

  private static boolean root() throws Exception {
    return shell("id -u").strip().equals("0");
  }

  private static String shell(String command) throws Exception {
    Process process = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    return said;
  }
}
