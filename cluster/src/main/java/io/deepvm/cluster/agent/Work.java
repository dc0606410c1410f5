package io.deepvm.cluster.agent;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What every node of a run does.
 *
 * @param command the training process and its arguments
 * @param kind how it takes a change of members
 * @param environment variables it gets besides those that the agent sets
 * @param checkpoint a folder that outlives the nodes, from the node's folder if it starts with
 *     ".."; empty for none
 * @param maxRestarts how many failures of the processes' own are forgiven in the run
 * @param noticeSignal sent to a command when its node will be taken, like TERM; empty for none
 * @param folder where the process starts, from the node's folder if it is relative; empty for the
 *     folder that its output goes to
 * @param processes how many processes a node of each instance type starts; 1 where nothing is said
 */
public record Work(
    List<String> command,
    Kind kind,
    Map<String, String> environment,
    String checkpoint,
    int maxRestarts,
    String noticeSignal,
    Timeouts timeouts,
    String folder,
    Map<String, Integer> processes) {

  public Work(
      List<String> command,
      Kind kind,
      Map<String, String> environment,
      String checkpoint,
      int maxRestarts,
      String noticeSignal,
      Timeouts timeouts,
      String folder,
      @Nullable Map<String, Integer> processes) {
    this.command = List.copyOf(command);
    this.kind = kind;
    this.environment = Map.copyOf(environment);
    this.checkpoint = checkpoint;
    this.maxRestarts = maxRestarts;
    this.noticeSignal = noticeSignal;
    this.timeouts = timeouts;
    this.folder = folder;
    // Older runs do not say.
    this.processes = processes == null ? Map.of() : Map.copyOf(processes);
  }

  /** Work of one process a node that starts in the folder its output goes to. */
  public Work(
      List<String> command,
      Kind kind,
      Map<String, String> environment,
      String checkpoint,
      int maxRestarts,
      String noticeSignal,
      Timeouts timeouts) {
    this(command, kind, environment, checkpoint, maxRestarts, noticeSignal, timeouts, "", Map.of());
  }

  /** Returns the same work with this many processes on a node of each instance type. */
  public Work withProcesses(Map<String, Integer> byType) {
    return new Work(
        command,
        kind,
        environment,
        checkpoint,
        maxRestarts,
        noticeSignal,
        timeouts,
        folder,
        byType);
  }

  /** Returns how many processes a node of the instance type starts. */
  public int processes(String instanceType) {
    return processes.getOrDefault(instanceType, 1);
  }

  /** How a training process takes a change of members. */
  public enum Kind {
    /** It speaks with its agent (package member) and re-forms in place. */
    MEMBER,
    /** It is any program, ended and started again with a new environment. */
    COMMAND
  }

  /**
   * How long things may take.
   *
   * @param sessionSeconds a node's silence before it counts as lost
   * @param readySeconds from a member's start to its report that it is ready
   * @param stopSeconds from the request to end until the kill
   * @param meetSeconds until all members have ended their old commands
   * @param orphanSeconds without a coordinator until an agent ends itself
   * @param formSeconds from the order to form until a member trains or reports that it cannot. It
   *     is longer than a trainer's own patience: members that wait for another one have reported by
   *     then
   * @param silenceSeconds longest time without output of any command, or without a step of any
   *     member; 0 for no bound. Then all commands, or the first member, are started again
   */
  public record Timeouts(
      double sessionSeconds,
      double readySeconds,
      double stopSeconds,
      double meetSeconds,
      double orphanSeconds,
      double formSeconds,
      double silenceSeconds) {

    private static final double USUAL_FORM_SECONDS = 360;

    public Timeouts {
      // Older runs do not say.
      formSeconds = formSeconds > 0 ? formSeconds : USUAL_FORM_SECONDS;
    }

    /** Timeouts for a network of one region. */
    public static final Timeouts USUAL =
        new Timeouts(3, 60, 5, 30, 30, USUAL_FORM_SECONDS, 30 * 60);

    /** Timeouts with the usual time to form, and without a bound on silence. */
    public Timeouts(
        double sessionSeconds,
        double readySeconds,
        double stopSeconds,
        double meetSeconds,
        double orphanSeconds) {
      this(
          sessionSeconds,
          readySeconds,
          stopSeconds,
          meetSeconds,
          orphanSeconds,
          USUAL_FORM_SECONDS,
          0);
    }

    /** Returns the same with another time to form. */
    public Timeouts withForm(double seconds) {
      return new Timeouts(
          sessionSeconds,
          readySeconds,
          stopSeconds,
          meetSeconds,
          orphanSeconds,
          seconds,
          silenceSeconds);
    }

    /** Returns the same with another bound to the silence of commands. */
    public Timeouts withSilence(double seconds) {
      return new Timeouts(
          sessionSeconds,
          readySeconds,
          stopSeconds,
          meetSeconds,
          orphanSeconds,
          formSeconds,
          seconds);
    }
  }
}
