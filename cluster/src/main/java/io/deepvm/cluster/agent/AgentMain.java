package io.deepvm.cluster.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.OutOfMemory;
import io.deepvm.base.PrivateFiles;
import io.deepvm.cluster.link.CoordinatorLink;
import io.deepvm.places.notice.Notice;
import io.deepvm.places.notice.NoticeReaders;
import io.deepvm.places.notice.NoticeWatch;
import io.deepvm.transport.Security;
import io.deepvm.transport.TokenFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The agent as a process: its environment says where its coordinator is, which says the rest. */
public final class AgentMain {

  /** Longest wait for a coordinator to connect to. */
  private static final Duration DIAL_PATIENCE = Duration.ofSeconds(15);

  /** Longest wait for a coordinator that connects when it knows of the node. */
  private static final Duration LISTEN_PATIENCE = Duration.ofMinutes(10);

  /** The variable with the seconds between SIGTERM and the kill. */
  public static final String TERM_SECONDS = "DEEPVM_TERM_SECONDS";

  /** Kubernetes' and Docker's usual patience is of this size. */
  private static final String DEFAULT_TERM_SECONDS = "30";

  /** Longest wait for the end of the process and the last messages. */
  private static final Duration LAST = Duration.ofSeconds(20);

  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private AgentMain() {}

  /** Runs until the node is not needed any more. */
  public static void main(String[] args) throws IOException, InterruptedException {
    OutOfMemory.endsThisProcess();
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
    CountDownLatch released = new CountDownLatch(1);
    double term = termSeconds();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> endAfterNotice(agent, term, released), "agent-term"));
    agent.start();
    System.out.println("The agent of %s is up.".formatted(start.node()));
    NoticeWatch watch = watch(agent);
    try {
      System.out.println("It ends: %s.".formatted(agent.await()));
      agent.release();
    } finally {
      watch.close();
      released.countDown();
    }
  }

  /** Asks the clouds that the environment names whether they will take this machine. */
  private static NoticeWatch watch(NodeAgent agent) {
    String setting = System.getenv().getOrDefault(NoticeReaders.VARIABLE, "none");
    return NoticeWatch.start(
        NoticeReaders.of(setting, Clock.systemUTC()),
        new NoticeWatch.Listener() {
          @Override
          public void noticed(Notice notice) {
            System.out.println("It got the notice %s.".formatted(notice));
            agent.noticed(notice);
          }

          @Override
          public void withdrawn(Notice notice) {
            System.out.println("The notice was withdrawn: %s.".formatted(notice));
            agent.withdrawn(notice);
          }
        });
  }

  private static double termSeconds() {
    String text = System.getenv().getOrDefault(TERM_SECONDS, DEFAULT_TERM_SECONDS);
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new BadInput(
          "%s is %s, which is no number of seconds.".formatted(TERM_SECONDS, text),
          "Maybe write it like %s.".formatted(DEFAULT_TERM_SECONDS));
    }
  }

  /**
   * Takes SIGTERM as a notice: batch systems, Kubernetes and shutdowns send it before they kill.
   * This process goes on until the agent has ended. After an end of its own that is at once.
   */
  private static void endAfterNotice(NodeAgent agent, double seconds, CountDownLatch released) {
    agent.terminate(seconds);
    try {
      boolean unused =
          released.await(Math.round(1000 * seconds) + LAST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    agent.close();
  }

  private static CoordinatorLink link(NodeStart start) throws IOException {
    Security security = Security.of(new TokenFile(Path.of(start.tokenFile())));
    if (start.contact() instanceof AgentContact.Listen listen) {
      InetSocketAddress here =
          new InetSocketAddress(InetAddress.getByName(start.host()), listen.port());
      CoordinatorLink link =
          CoordinatorLink.listen(start.run(), start.node(), here, security, System::nanoTime);
      Path folder = Path.of(start.folder());
      Path fresh = folder.resolve("port.new");
      PrivateFiles.write(fresh, link.port() + "\n");
      Files.move(fresh, folder.resolve("port"), StandardCopyOption.ATOMIC_MOVE);
      return link;
    }
    AgentContact.Dial dial = (AgentContact.Dial) start.contact();
    return CoordinatorLink.dial(
        start.run(), start.node(), dial.address(), security, System::nanoTime);
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
