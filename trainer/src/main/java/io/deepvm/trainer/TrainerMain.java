package io.deepvm.trainer;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.trainer.averaging.Averaging;
import io.deepvm.trainer.job.CheckpointSpec;
import io.deepvm.trainer.job.TrainingJob;
import io.deepvm.trainer.member.AgentChannel;
import io.deepvm.trainer.member.GenerationOver;
import io.deepvm.trainer.member.PeerLost;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.member.Saves;
import io.deepvm.trainer.member.Strategy;
import io.deepvm.trainer.member.TrainingPace;
import io.deepvm.trainer.server.ParameterServer;
import io.deepvm.transport.Secrets;
import io.deepvm.transport.Security;
import io.deepvm.transport.Token;
import io.deepvm.transport.TokenFile;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A training process: takes orders from the agent that started it, reports to it, and re-forms in
 * place when members change. It ends with its agent.
 */
public final class TrainerMain {

  /** The option that names the file, and its former name. */
  private static final List<String> NAMES = List.of("--training-job", "--job");

  private static final Duration PATIENCE = Duration.ofHours(1);

  private final TrainingJob job;
  private final Map<String, String> environment;
  private final AgentChannel agent;

  private TrainerMain(TrainingJob job, Map<String, String> environment, AgentChannel agent) {
    this.job = job;
    this.environment = environment;
    this.agent = agent;
  }

  /** Runs it: {@code --training-job FILE}. */
  public static void main(String[] arguments) {
    // Reports are alone on the standard output; what libraries print goes beside the log.
    PrintStream reports = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.setOut(System.err);
    int code;
    try {
      if (arguments.length != 2 || !NAMES.contains(arguments[0])) {
        throw new BadInput("There is no job to train.", "Maybe write --training-job FILE.");
      }
      TrainingJob job = TrainingJob.read(Path.of(arguments[1]));
      if (System.getenv("DEEPVM_REHEARSAL") != null) {
        job = job.endless();
      }
      AgentChannel agent = new AgentChannel(System.in, reports, () -> Runtime.getRuntime().halt(0));
      code = new TrainerMain(job, System.getenv(), agent).run();
    } catch (BadInput e) {
      System.err.println(e.getMessage() + "\n" + e.wayOut());
      code = 2;
    } catch (IOException | RuntimeException e) {
      e.printStackTrace();
      code = 1;
    } catch (InterruptedException e) {
      code = 130;
    }
    // Not exit: hooks of the engine may wait for threads that wait for us.
    Runtime.getRuntime().halt(code);
  }

  private int run() throws IOException, InterruptedException {
    Saves saves = new Saves(job, checkpoint(), agent, new GivenTls(environment));
    Peers peers = new Peers(agent, job.name(), bind(), new GivenTls(environment).apply(security()));
    try (Strategy strategy = strategy(peers, saves)) {
      // They go first: what they still send or take lies in the engine's memory.
      try (peers) {
        int port = peers.start(strategy);
        agent.start();
        agent.report(new Report.Ready(port));
        return obey(strategy);
      }
    }
  }

  private Strategy strategy(Peers peers, Saves saves) {
    return switch (job.strategy()) {
      case AVERAGING -> new Averaging(job, agent, peers, saves, TrainingPace.of(environment));
      case PARAMETER_SERVER ->
          new ParameterServer(job, agent, peers, saves, TrainingPace.of(environment));
    };
  }

  private int obey(Strategy strategy) throws InterruptedException {
    long generation = -1;
    while (true) {
      Order.Form form = agent.next(generation, PATIENCE);
      if (form == null) {
        if (agent.stopped() == null) {
          System.err.println("No order came for " + PATIENCE.toMinutes() + " minutes.");
          return 1;
        }
        strategy.leave();
        return 0;
      }
      generation = form.generation();
      try {
        strategy.train(form);
        return 0;
      } catch (GenerationOver e) {
        // The newer order says what to do.
      } catch (PeerLost e) {
        System.err.println("Generation " + generation + " ends: " + e.getMessage());
        // Also one that is merely late: only the coordinator can form what this process waits for.
        agent.report(new Report.Suspect(generation, e.node(), String.valueOf(e.getMessage())));
      }
    }
  }

  private InetSocketAddress bind() {
    return new InetSocketAddress(environment.getOrDefault("DEEPVM_HOST", "127.0.0.1"), 0);
  }

  /**
   * Returns how members know each other: by the secret of the run, from its file if there is one.
   */
  private Security security() {
    Secrets secrets = secrets(environment);
    return secrets == null ? Security.none() : Security.of(secrets);
  }

  /** Returns the secrets of the file, which a run gives to its workers; else a given token. */
  static @Nullable Secrets secrets(Map<String, String> environment) {
    String file = environment.get("DEEPVM_TOKEN_FILE");
    if (file != null) {
      return new TokenFile(Path.of(file));
    }
    String token = environment.get("DEEPVM_TOKEN");
    return token == null ? null : Secrets.of(Token.of(token));
  }

  /** Returns where the state is saved: where the run says, else where the job says. */
  private @Nullable CheckpointSpec checkpoint() {
    String folder = environment.get("DEEPVM_CHECKPOINT");
    CheckpointSpec own = job.checkpoint();
    if (folder == null) {
      return own;
    }
    if (folder.isEmpty()) {
      return null;
    }
    String anchors = environment.getOrDefault("DEEPVM_ANCHORS", "");
    String secret = environment.get("DEEPVM_TOKEN_FILE");
    return new CheckpointSpec(
        Path.of(folder),
        anchors.isEmpty() ? List.of() : List.of(anchors.split(",", -1)),
        secret == null ? null : Path.of(secret),
        own == null ? 0 : own.every());
  }
}
