package io.deepvm.places.slurm;

import io.deepvm.base.PrivateFiles;
import io.deepvm.places.Launch;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoint;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.notice.NoticeReaders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Submits and ends the jobs of one run; every method may block. */
final class JobsOfRun {

  private static final long CONFIRM_MS = 10_000;
  private static final long POLL_MS = 100;
  private static final int MINUTE_SECONDS = 60;

  private final Path folder;
  private final SlurmSettings settings;
  private final Slurm slurm;
  private final OrderPoints points;

  /** Prepares for the run whose files are in the folder, which the cluster's nodes share. */
  JobsOfRun(Path folder, SlurmSettings settings, Slurm slurm, OrderPoints points) {
    this.folder = folder.toAbsolutePath().normalize();
    this.settings = settings;
    this.slurm = slurm;
    this.points = points;
  }

  private Path home(String node) {
    return folder.resolve("nodes").resolve(node);
  }

  /** Returns the name of the node's job, which no other node has. */
  String name(String node) {
    return SlurmSettings.PREFIX + settings.run() + "-" + node;
  }

  /**
   * Submits the job of a node unless it has one or was ended.
   *
   * @throws Slurm.Refused if no job exists
   * @throws IOException if nobody knows
   */
  void submit(Order order) throws IOException {
    String node = order.node();
    points.reached(OrderPoint.BEFORE_START, node);
    JobClaim claim = new JobClaim(PrivateFiles.folder(home(node)));
    String name = name(node);
    if (claim.holder() == null && slurm.jobs().stream().noneMatch(job -> job.name().equals(name))) {
      String unused = slurm.submit(options(order), script(order));
      points.reached(OrderPoint.AFTER_START, node);
    }
  }

  private List<String> options(Order order) {
    SlurmPool pool = settings.pools().get(order.pool());
    long minutes = Math.max(1, (long) Math.ceil(settings.timeSeconds() / MINUTE_SECONDS));
    Path home = home(order.node());
    List<String> options = new ArrayList<>();
    options.add("--job-name=" + name(order.node()));
    options.add("--nodes=1");
    options.add("--ntasks=1");
    // A job that Slurm starts again would be a second machine of the same name.
    options.add("--no-requeue");
    options.add("--time=" + minutes);
    options.add("--signal=B:TERM@" + Math.round(settings.noticeSeconds()));
    options.add("--chdir=" + home);
    options.add("--output=" + home.resolve("agent.log"));
    options.add("--open-mode=append");
    if (pool.partition() != null) {
      options.add("--partition=" + pool.partition());
    }
    if (pool.gpus() > 0) {
      options.add("--gpus-per-node=" + pool.gpus());
    }
    options.addAll(pool.options());
    return options;
  }

  private String script(Order order) {
    Launch launch = order.launch();
    StringBuilder script = new StringBuilder("#!/bin/sh\numask 077\n");
    script.append("cd ").append(quoted(home(order.node()).toString())).append(" || exit 1\n");
    launch.environment().forEach((name, value) -> export(script, name, value));
    launch.secrets().forEach((name, file) -> export(script, name, file.toString()));
    export(script, "DEEPVM_FOLDER", home(order.node()).toString());
    export(script, "DEEPVM_TYPE", settings.pools().get(order.pool()).name());
    export(script, "DEEPVM_SPEED", "1.0");
    export(script, "DEEPVM_READY_AT_MS", "0");
    export(script, "DEEPVM_TERM_SECONDS", Double.toString(settings.noticeSeconds()));
    export(script, NoticeReaders.VARIABLE, NoticeReaders.AUTO);
    export(script, "DEEPVM_TAG", settings.run() + "/" + order.node());
    // The address by which this node reaches the coordinator, or its first one.
    script.append(
        """
        to=${DEEPVM_COORDINATOR%:*}
        here=$(ip -o route get "${to:-127.0.0.1}" 2>/dev/null | sed -n 's/.* src \\([^ ]*\\).*/\\1/p')
        [ -n "$here" ] || here=$(hostname -I | cut -d ' ' -f 1)
        export DEEPVM_HOST="$here"
        """);
    script.append(JobClaim.script());
    script.append("exec");
    launch.command().forEach(word -> script.append(' ').append(quoted(word)));
    return script.append('\n').toString();
  }

  private static void export(StringBuilder script, String name, String value) {
    script.append("export %s=%s\n".formatted(name, quoted(value)));
  }

  /** Returns the text as one word of a shell. */
  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /** How a node stands. */
  sealed interface Standing {

    /** Its job waits, for this reason. */
    record Waits(String reason) implements Standing {}

    record Lives(String job) implements Standing {}

    /** Its job has ended in this state. */
    record Ended(String job, String state) implements Standing {}

    /** No job may become the node. */
    record Nobody() implements Standing {}

    /** It has no job, and had none. */
    record None() implements Standing {}
  }

  /** Returns the jobs that have not ended. */
  List<SlurmJob> jobs() throws IOException {
    return slurm.jobs();
  }

  /** Returns how a node stands, by jobs that were read before. */
  Standing standing(String node, List<SlurmJob> jobs) throws IOException {
    String holder = new JobClaim(home(node)).holder();
    String name = name(node);
    if (holder == null) {
      return jobs.stream()
          .filter(job -> job.name().equals(name))
          .findFirst()
          .map(job -> (Standing) new Standing.Waits(job.reason()))
          .orElseGet(Standing.None::new);
    } else if (holder.equals(JobClaim.NOBODY)) {
      return new Standing.Nobody();
    }
    boolean lives = jobs.stream().anyMatch(job -> job.id().equals(holder));
    return lives ? new Standing.Lives(holder) : new Standing.Ended(holder, slurm.state(holder));
  }

  /**
   * Makes sure that a node without a job never gets one. Returns how it stands after that: a job
   * may have claimed it in the last moment.
   */
  Standing settle(String node) throws IOException {
    new JobClaim(home(node)).forbid();
    return standing(node, slurm.jobs());
  }

  /** Ends a node for ever. Returns whether it has no job any more. */
  boolean end(String node) throws IOException {
    JobClaim claim = new JobClaim(home(node));
    claim.forbid();
    String holder = claim.holder();
    String name = name(node);
    for (long waited = 0; waited < CONFIRM_MS; waited += POLL_MS) {
      List<SlurmJob> left =
          slurm.jobs().stream()
              .filter(job -> job.name().equals(name) || job.id().equals(holder))
              .toList();
      if (left.isEmpty()) {
        return true;
      }
      if (waited % (10 * POLL_MS) == 0) {
        slurm.cancel(name);
      }
      pause();
    }
    return false;
  }

  private static void pause() throws IOException {
    try {
      Thread.sleep(POLL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  /** Returns the state in which Slurm ended a job, or null if it says nothing. */
  static @Nullable String taken(String state) {
    return switch (state) {
      case "PREEMPTED" -> "Slurm preempted its job";
      case "NODE_FAIL" -> "Slurm lost the machine";
      case "TIMEOUT", "DEADLINE" -> "the time limit of its job is over";
      default -> null;
    };
  }
}
