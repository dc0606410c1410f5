package io.deepvm.cluster.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.cluster.link.CoordinatorLink;
import io.deepvm.transport.Security;
import io.deepvm.transport.TokenFile;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/** The agent as a process: its environment says where its coordinator is, which says the rest. */
public final class AgentMain {

  /** Longest wait for a coordinator to connect to. */
  private static final Duration DIAL_PATIENCE = Duration.ofSeconds(15);

  /** Longest wait for a coordinator that connects when it knows of the node. */
  private static final Duration LISTEN_PATIENCE = Duration.ofMinutes(10);

  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private AgentMain() {}

  /** Runs until the node is not needed any more. */
  public static void main(String[] args) throws IOException, InterruptedException {
    try {
      run(NodeStart.of(System.getenv()));
    } catch (BadInput e) {
      System.err.println(e.getMessage());
      System.err.println(e.wayOut());
      System.exit(2);
    }
    // Threads of libraries are no reason to stay.
    System.exit(0);
  }

  private static void run(NodeStart start) throws IOException, InterruptedException {
    CoordinatorLink link = link(start);
    boolean listens = start.contact() instanceof AgentContact.Listen;
    Work work = work(link.awaitWork(listens ? LISTEN_PATIENCE : DIAL_PATIENCE));
    Path folder = Path.of(start.folder());
    Path directory = work.folder().isEmpty() ? folder : Path.of(work.folder());
    Launcher launcher = new ProcessLauncher(folder, directory, work.kind() == Work.Kind.MEMBER);
    NodeAgent agent = new NodeAgent(start, work, link, launcher);
    Runtime.getRuntime().addShutdownHook(new Thread(agent::close));
    agent.start();
    System.out.println("The agent of %s is up.".formatted(start.node()));
    System.out.println("It ends: %s.".formatted(agent.await()));
    agent.release();
  }

  private static CoordinatorLink link(NodeStart start) throws IOException {
    Security security = Security.of(new TokenFile(Path.of(start.tokenFile())));
    if (start.contact() instanceof AgentContact.Listen listen) {
      InetSocketAddress here =
          new InetSocketAddress(InetAddress.getByName(start.host()), listen.port());
      return CoordinatorLink.listen(start.run(), start.node(), here, security);
    }
    AgentContact.Dial dial = (AgentContact.Dial) start.contact();
    return CoordinatorLink.dial(start.run(), start.node(), dial.address(), security);
  }

  private static Work work(String text) {
    try {
      return JSON.readValue(text, Work.class);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "The work of the run cannot be read: %s.".formatted(e.getOriginalMessage()),
          "Maybe coordinator and agent need the same version of DeepVM.");
    }
  }
}
