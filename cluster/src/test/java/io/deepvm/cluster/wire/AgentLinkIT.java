package io.deepvm.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.member.Report;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AgentLinkIT {

  private final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();
  private final BlockingQueue<Command> commands = new LinkedBlockingQueue<>();
  private final CountDownLatch gone = new CountDownLatch(1);

  private AgentDoor door(List<Message> news) throws Exception {
    return AgentDoor.open("127.0.0.1", "secret", () -> news, commands::add);
  }

  private AgentLink link(int port, String token) {
    return AgentLink.open("n1", "127.0.0.1", port, token, messages::add, gone::countDown);
  }

  @Test
  void bothSidesHearEachOtherAndWhoComesLaterHearsTheNews() throws Exception {
    Message news = new Message.Exited(2, 3, 1, "tail", null);
    try (AgentDoor door = door(List.of(news));
        AgentLink link = link(door.port(), "secret")) {
      assertThat(messages.poll(20, TimeUnit.SECONDS)).isEqualTo(news);
      assertThat(commands.poll(20, TimeUnit.SECONDS)).isEqualTo(new Command.Here());
      Message said = new Message.Said(new Report.Suspect(1, "n2", "reset"));
      door.tell(said);
      assertThat(messages.poll(20, TimeUnit.SECONDS)).isEqualTo(said);
      assertThat(link.tell(new Command.Notice(2))).isTrue();
      assertThat(commands.poll(20, TimeUnit.SECONDS)).isEqualTo(new Command.Notice(2));
      assertThat(link.answers()).isTrue();
    }
  }

  @Test
  void whatIsSaidBeforeTheAgentCanBeReachedIsHeardOnceAndInOrder() throws Exception {
    try (AgentDoor door = door(List.of());
        AgentLink link = link(door.port(), "secret")) {
      for (int lead = 1; lead <= 100; lead++) {
        link.tell(new Command.Notice(lead));
      }
      link.tell(new Command.Spare());
      assertThat(commands.poll(20, TimeUnit.SECONDS)).isEqualTo(new Command.Here());
      for (int lead = 1; lead <= 100; lead++) {
        assertThat(commands.poll(20, TimeUnit.SECONDS)).isEqualTo(new Command.Notice(lead));
      }
      assertThat(commands.poll(20, TimeUnit.SECONDS)).isEqualTo(new Command.Spare());
    }
  }

  @Test
  void anAgentThatIsGoneIsKnownAtOnce() throws Exception {
    int port;
    AgentLink link;
    try (AgentDoor door = door(List.of())) {
      port = door.port();
      link = link(port, "secret");
      assertThat(commands.poll(20, TimeUnit.SECONDS)).isEqualTo(new Command.Here());
    }
    try (link) {
      assertThat(gone.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(link.answers()).isFalse();
    }
  }

  @Test
  void whoDoesNotKnowTheTokenHearsNothingAndSaysNothing() throws Exception {
    try (AgentDoor door = door(List.of(new Message.Launched(1)));
        AgentLink stranger = link(door.port(), "guess")) {
      assertThat(stranger.tell(new Command.Stop("mine now"))).isFalse();
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), door.port()), 5_000);
        socket.setSoTimeout(10_000);
        socket
            .getOutputStream()
            .write("hello\nhello\n{\"command\":\"stop\"}\n".getBytes(StandardCharsets.UTF_8));
        String said = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        // Its nonce, and then it hangs up.
        assertThat(said).matches("[0-9a-f]{64}\n");
      }
      assertThat(messages).isEmpty();
      assertThat(commands).isEmpty();
    }
  }
}
