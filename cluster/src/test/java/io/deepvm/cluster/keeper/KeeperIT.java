package io.deepvm.cluster.keeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Role;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeeperIT {

  private static final Duration SESSION = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir Path folder;

  private static Keeper connect(KeeperServer server, String token) throws Exception {
    return connect(server, "run", token);
  }

  private static Keeper connect(KeeperServer server, String run, String token) throws Exception {
    return Keeper.connect("127.0.0.1:" + server.port(), run, token, SESSION, PATIENCE);
  }

  @Test
  void oneServerServesManyRunsAndEachHasItsOwnAlone() throws Exception {
    try (KeeperServer server = KeeperServer.start(folder, "127.0.0.1", 0);
        Keeper first = connect(server, "first", "one");
        Keeper second = connect(server, "second", "two");
        Keeper thief = connect(server, "first", "two")) {
      first.claimRun();
      first.putSpec("the first's work");
      second.claimRun();
      second.putSpec("the second's work");
      assertThat(first.spec()).isEqualTo("the first's work");
      assertThat(second.spec()).isEqualTo("the second's work");
      assertThatThrownBy(thief::claimRun)
          .isInstanceOf(BadInput.class)
          .hasMessageContaining("The run first in ZooKeeper belongs to another token.");
      assertThatThrownBy(thief::spec).isInstanceOf(BadInput.class);
      assertThatThrownBy(() -> thief.putSpec("stolen")).isInstanceOf(BadInput.class);
      assertThatThrownBy(() -> thief.write(new Generation(1, List.of(), 0)))
          .isInstanceOf(BadInput.class);
      assertThat(first.spec()).isEqualTo("the first's work");
    }
  }

  @Test
  void aServerThatLetsNobodyMakeRunsIsSaidToBeSo() throws Exception {
    try (KeeperServer server = KeeperServer.start(folder, "127.0.0.1", 0);
        Keeper owner = connect(server, "first", "one");
        Keeper late = connect(server, "second", "two")) {
      owner.claimRoot();
      assertThatThrownBy(late::claimRun)
          .isInstanceOf(BadInput.class)
          .hasMessageContaining("does not let the run second be made at /deepvm.");
    }
  }

  @Test
  void generationsComeBackFromTheDiskAndFollowEachOther() throws Exception {
    Generation first = new Generation(1, List.of(new Member("n1", Role.WORKER, "127.0.0.1", 7)), 0);
    try (KeeperServer server = KeeperServer.start(folder, "127.0.0.1", 0);
        Keeper keeper = connect(server, "secret")) {
      assertThat(keeper.generation()).isNull();
      keeper.write(first);
    }
    try (KeeperServer server = KeeperServer.start(folder, "127.0.0.1", 0);
        Keeper keeper = connect(server, "secret");
        Keeper late = connect(server, "secret")) {
      assertThat(keeper.generation()).isEqualTo(first);
      assertThat(late.generation()).isEqualTo(first);
      keeper.write(new Generation(2, List.of(), 0));
      // One who has not seen the newest may not write over it.
      assertThatThrownBy(() -> late.write(new Generation(2, List.of(), 5)))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aRegistrationLastsAsLongAsItsProcess() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (KeeperServer server = KeeperServer.start(folder, "127.0.0.1", 0);
        Keeper watcher = connect(server, "secret")) {
      watcher.watchNodes(
          there -> seen.add(there.node() + " " + there.ready()), gone -> seen.add(gone + " gone"));
      Registration agent = new Registration("n1", Role.WORKER, "127.0.0.1", 1, 0, false, 0);
      try (Keeper keeper = connect(server, "secret")) {
        keeper.register(agent);
        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("n1 false");
        keeper.register(agent.with(9, true, 1));
        assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("n1 true");
      }
      assertThat(seen.poll(20, TimeUnit.SECONDS)).isEqualTo("n1 gone");
    }
  }

  @Test
  @SuppressWarnings("try")
  void nobodyWithoutTheTokenReadsOrWrites() throws Exception {
    try (KeeperServer server = KeeperServer.start(folder, "127.0.0.1", 0);
        Keeper keeper = connect(server, "secret")) {
      keeper.claimRoot();
      keeper.putSpec("what to do");
      try (ZooKeeper stranger = new ZooKeeper("127.0.0.1:" + server.port(), 2_000, event -> {})) {
        assertThatThrownBy(() -> stranger.getChildren("/", false))
            .isInstanceOf(KeeperException.NoAuthException.class);
        assertThatThrownBy(() -> stranger.getChildren("/deepvm", false))
            .isInstanceOf(KeeperException.NoAuthException.class);
        assertThatThrownBy(() -> stranger.getData("/deepvm/run/spec", false, null))
            .isInstanceOf(KeeperException.NoAuthException.class);
        assertThatThrownBy(
                () ->
                    stranger.create(
                        "/mine", new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT))
            .isInstanceOf(KeeperException.NoAuthException.class);
        stranger.addAuthInfo("digest", "deepvm:guess".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> stranger.getData("/deepvm/run/spec", false, null))
            .isInstanceOf(KeeperException.NoAuthException.class);
      }
    }
  }

  @Test
  void theServerAnswersNoCommandsButTheOneThatCannotBeForbidden() throws Exception {
    try (KeeperServer server = KeeperServer.start(folder, "127.0.0.1", 0)) {
      for (String command : List.of("ruok", "envi", "dump", "conf", "wchp")) {
        try (Socket socket = new Socket()) {
          socket.connect(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()), 5_000);
          socket.setSoTimeout(5_000);
          socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
          String said =
              new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
          assertThat(said).contains("not in the whitelist");
        }
      }
    }
  }
}
