package io.deepvm.cluster.agent;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.cluster.keeper.Keeper;
import io.deepvm.units.BadInput;
import io.deepvm.units.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** The agent as a process: what it must know comes by its environment and from ZooKeeper. */
public final class AgentMain {

  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private AgentMain() {}

  /** Runs until the node is not needed any more. */
  public static void main(String[] args) throws IOException, InterruptedException {
    try {
      run(AgentStart.of(System.getenv()));
    } catch (BadInput e) {
      System.err.println(e.getMessage());
      System.err.println(e.wayOut());
      System.exit(2);
    }
    // Threads of libraries are no reason to stay.
    System.exit(0);
  }

  private static void run(AgentStart start) throws IOException, InterruptedException {
    String token = PrivateFiles.readSecret(Path.of(start.tokenFile()));
    Duration session = Duration.ofMillis(Math.round(start.sessionSeconds() * 1000));
    Keeper keeper = Keeper.connect(start.keeper(), start.run(), token, session, PATIENCE);
    Work work = JsonMapper.builder().build().readValue(keeper.spec(), Work.class);
    Path folder = Path.of(start.folder());
    Path directory = work.folder().isEmpty() ? folder : Path.of(work.folder());
    Launcher launcher = new ProcessLauncher(folder, directory, work.kind() == Work.Kind.MEMBER);
    Agent agent = new Agent(start, work, keeper, token, launcher);
    Runtime.getRuntime().addShutdownHook(new Thread(agent::close));
    agent.start();
    System.out.println("The agent of %s is up.".formatted(start.node()));
    System.out.println("It ends: %s.".formatted(agent.await()));
    agent.release();
  }
}
