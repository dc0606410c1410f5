package io.deepvm.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * How documented commands are made small enough for a test. A command that no rule concerns runs as
 * it is written.
 */
final class SmallSizes {

  /** A training job that the built-in trainer ends within seconds. */
  static final String TRAINING_JOB =
      """
      name: small
      strategy: averaging
      model: {kind: mlp, hidden: [8]}
      data: {kind: generated-images, samples: 200, noise: 2}
      batch: {micro: 8, target: 16}
      work: {steps: 20}
      optimizer: {kind: sgd, rate: 0.01}
      checkpoint: {folder: saved, every: 10}
      """;

  /** Returns a market that has nodes for all but one of 2,000 hours. */
  static String steadyTrace() {
    StringBuilder csv =
        new StringBuilder(
            """
            # deepvm market v1
            # name: steady
            # tick-seconds: 3600
            time,place,instance_type,available,asked,spot_usd_per_hour,on_demand_usd_per_hour
            """);
    for (int hour = 0; hour < 2000; hour++) {
      csv.append(
          "%d,aws/us-east-1/us-east-1a,g4dn.xlarge,%d,8,0.2,0.526\n"
              .formatted(3600 * hour, hour == 1000 ? 0 : 8));
    }
    return csv.toString();
  }

  /** Commands that take long or need hosts, and the tests that run them. */
  static final List<Elsewhere> ELSEWHERE =
      List.of(
          new Elsewhere(
              "./test",
              "cli/src/test/java/io/deepvm/cli/DocumentedCommandsIT.java",
              "everyDocumentedCommandRunsToItsEnd"),
          new Elsewhere(
              "deepvm demo",
              "cli/src/test/java/io/deepvm/cli/StoryIT.java",
              "theDemoPlansSimulatesTrainsThroughLossesAndCompares"),
          ofPrices("deepvm catalog refresh", "plansUseTheNewestPricesAndSayWhichTheyAre"),
          ofPrices(
              "deepvm catalog refresh --from account --region us-east-1",
              "anAccountStatesSpotPricesAndKeepsTheDateOfTheOthers"),
          ofHosts(
              "deepvm run --on ssh:hosts.yaml --workdir . --setup sh setup.sh -- python3 train.py",
              "threeHostsTrainThroughTheLossOfANodeAndNothingIsLeft"),
          ofAnchors(
              "deepvm run --on ssh:hosts.yaml --coordinator-on anchor --workdir . -- python3"
                  + " train.py"),
          ofLostAnchors(
              "deepvm run --on ssh:hosts.yaml --coordinator-on anchor --store /nfs/runs --workdir ."
                  + " -- python3 train.py"),
          ofLostAnchors("deepvm run --resume --from-store /nfs/runs --on ssh:hosts.yaml"),
          ofSlurm("deepvm run --on slurm -- python3 train.py"),
          ofSlurm(
              "deepvm run --on slurm:slurm.yaml --checkpoints /shared/run7 -- python3 train.py"),
          ofHosts("deepvm places check ssh:hosts.yaml", "checkSaysWhatIsWrongWithEachHost"),
          ofHosts("deepvm places leftovers ssh:hosts.yaml", "checkSaysWhatIsWrongWithEachHost"),
          ofHosts(
              "deepvm places leftovers ssh:hosts.yaml --end", "checkSaysWhatIsWrongWithEachHost"));

  private static Elsewhere ofPrices(String command, String method) {
    return new Elsewhere(command, "cli/src/test/java/io/deepvm/cli/CatalogRefreshIT.java", method);
  }

  private static Elsewhere ofHosts(String command, String method) {
    return new Elsewhere(command, "cli/src/test/java/io/deepvm/cli/SshHostsIT.java", method);
  }

  private static Elsewhere ofAnchors(String command) {
    return new Elsewhere(
        command,
        "cli/src/test/java/io/deepvm/cli/AnchoredRunIT.java",
        "theRunGoesOnAndEndsWithoutTheComputerThatStartedIt");
  }

  private static Elsewhere ofLostAnchors(String command) {
    return new Elsewhere(
        command,
        "cli/src/test/java/io/deepvm/cli/AnchoredRunIT.java",
        "anotherComputerGoesOnFromTheStoreAfterTheAnchorIsLost");
  }

  private static Elsewhere ofSlurm(String command) {
    return new Elsewhere(
        command,
        "cli/src/test/java/io/deepvm/cli/SlurmRunIT.java",
        "threeJobsTrainThroughTheLossOfOneAndTheRunEndsWithoutJobs");
  }

  /** A command that another test runs. */
  record Elsewhere(String command, String test, String method) {

    boolean isAbout(List<String> words) {
      return String.join(" ", words).replace("./deepvm", "deepvm").equals(command);
    }
  }

  /** One substitution. */
  private record Rule(
      String reason, Predicate<List<String>> concerns, UnaryOperator<List<String>> change) {}

  private final List<Rule> rules;

  /**
   * Takes names that hold on this machine alone.
   *
   * @param port a free port
   * @param python a Python that has torch, if any has
   */
  SmallSizes(int port, String python, String trainingJob, String trace) {
    rules =
        List.of(
            new Rule(
                "20 simulated runs go the same way as 1,000",
                words ->
                    (is(words, "simulate") && !words.contains("--compat"))
                        || (is(words, "plan") && words.contains("--confidence")),
                words -> with(words, "--runs", "20")),
            new Rule(
                "one second of steps goes the same way as ten",
                words -> is(words, "profile") && !words.contains("--"),
                words -> with(words, "--time", "1s")),
            new Rule(
                "20 steps of a small network go the same way as a minute of a larger one",
                words -> is(words, "run") && !words.contains("--"),
                words -> with(words, "--training-job", trainingJob)),
            new Rule(
                "so small a job would make hours of the market pass while processes start",
                words -> is(words, "run") && !words.contains("--speed"),
                words -> with(words, "--speed", "600x")),
            new Rule(
                "20 steps of a script go the same way as 200",
                words -> is(words, "run") && words.contains("examples/ddp.py"),
                words -> joined(words, List.of("--steps", "20"))),
            new Rule(
                "in a market that always has nodes, a run waits for none",
                words -> is(words, "run"),
                words -> with(words, "--trace", trace)),
            new Rule(
                "a test machine has little memory, and small states need little",
                SmallSizes::isCheckpointService,
                words -> with(words, "--memory", "64MiB")),
            new Rule(
                "another process may have the documented port",
                words -> words.stream().anyMatch(word -> word.contains(":7070")),
                words -> words.stream().map(w -> w.replace(":7070", ":" + port)).toList()),
            new Rule(
                "Debian's torch is for Debian's Python",
                words -> words.contains("python3"),
                words -> words.stream().map(w -> w.equals("python3") ? python : w).toList()));
  }

  List<String> of(List<String> words) {
    List<String> small = words;
    for (Rule rule : rules) {
      if (rule.concerns().test(small)) {
        small = rule.change().apply(small);
      }
    }
    return small;
  }

  /** Returns whether it is this command of deepvm. */
  static boolean is(List<String> words, String command) {
    return words.size() > 1 && isDeepvm(words) && words.get(1).equals(command);
  }

  /** Returns whether the command goes on until it is interrupted. */
  static boolean isService(List<String> words) {
    return isCheckpointService(words) || is(words, "watch") || is(words, "explore");
  }

  private static boolean isCheckpointService(List<String> words) {
    return is(words, "checkpoint") && Set.of("agent", "anchor").contains(words.get(2));
  }

  static boolean isDeepvm(List<String> words) {
    return words.get(0).matches("(\\./)?deepvm");
  }

  /** Returns the words with an option set, before the command that stands behind {@code --}. */
  private static List<String> with(List<String> words, String option, String value) {
    List<String> changed = new ArrayList<>(words);
    int end = changed.contains("--") ? changed.indexOf("--") : changed.size();
    int at = changed.subList(0, end).indexOf(option);
    if (at >= 0) {
      changed.set(at + 1, value);
    } else {
      changed.addAll(end, List.of(option, value));
    }
    return changed;
  }

  private static List<String> joined(List<String> words, List<String> more) {
    List<String> changed = new ArrayList<>(words);
    changed.addAll(more);
    return changed;
  }
}
