package io.deepvm.cluster.log;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.deepvm.catalog.Market;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that happened in a run. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "event")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Event.Started.class, name = "started"),
  @JsonSubTypes.Type(value = Event.Resumed.class, name = "resumed"),
  @JsonSubTypes.Type(value = Event.Alive.class, name = "alive"),
  @JsonSubTypes.Type(value = Event.Waits.class, name = "waits"),
  @JsonSubTypes.Type(value = Event.Paced.class, name = "paced"),
  @JsonSubTypes.Type(value = Event.Broken.class, name = "broken"),
  @JsonSubTypes.Type(value = Event.RunTurned.class, name = "run"),
  @JsonSubTypes.Type(value = Event.Priced.class, name = "priced"),
  @JsonSubTypes.Type(value = Event.Refused.class, name = "refused"),
  @JsonSubTypes.Type(value = Event.Rented.class, name = "rented"),
  @JsonSubTypes.Type(value = Event.Granted.class, name = "granted"),
  @JsonSubTypes.Type(value = Event.NodeTurned.class, name = "node"),
  @JsonSubTypes.Type(value = Event.Taken.class, name = "taken"),
  @JsonSubTypes.Type(value = Event.Generation.class, name = "generation"),
  @JsonSubTypes.Type(value = Event.Joined.class, name = "joined"),
  @JsonSubTypes.Type(value = Event.Progress.class, name = "progress"),
  @JsonSubTypes.Type(value = Event.Saved.class, name = "saved"),
  @JsonSubTypes.Type(value = Event.Suspected.class, name = "suspected"),
  @JsonSubTypes.Type(value = Event.Exited.class, name = "exited"),
  @JsonSubTypes.Type(value = Event.Registered.class, name = "registered"),
  @JsonSubTypes.Type(value = Event.Cleared.class, name = "cleared"),
  @JsonSubTypes.Type(value = Event.Forming.class, name = "forming"),
  @JsonSubTypes.Type(value = Event.Silenced.class, name = "silenced"),
  @JsonSubTypes.Type(value = Event.Printed.class, name = "printed"),
  @JsonSubTypes.Type(value = Event.Completed.class, name = "completed"),
  @JsonSubTypes.Type(value = Event.Killed.class, name = "killed"),
  @JsonSubTypes.Type(value = Event.Restarted.class, name = "restarted"),
  @JsonSubTypes.Type(value = Event.Departed.class, name = "departed"),
  @JsonSubTypes.Type(value = Event.Reforming.class, name = "reforming"),
  @JsonSubTypes.Type(value = Event.Parting.class, name = "parting"),
  @JsonSubTypes.Type(value = Event.Warned.class, name = "warned"),
  @JsonSubTypes.Type(value = Event.Withheld.class, name = "withheld"),
  @JsonSubTypes.Type(value = Event.Gone.class, name = "gone"),
})
public sealed interface Event {

  /**
   * The run began; it waits for nodes.
   *
   * @param speed market seconds that pass in one second
   * @param billingGrainMs a node's life is paid in multiples of this
   * @param billingLeastMs the least that a node is paid for
   * @param anchorMicrosPerHour what the nodes cost that keep checkpoints and the coordinator
   */
  record Started(
      String run, double speed, long billingGrainMs, long billingLeastMs, long anchorMicrosPerHour)
      implements Event {}

  /** A new coordinator took over after the last one died. */
  record Resumed(String reason) implements Event {}

  /** Nothing else has happened for a while, and the coordinator is there: its time is paid. */
  record Alive() implements Event {}

  /**
   * The run does not train, and has not for a while.
   *
   * @param waitedMs real milliseconds since it last trained
   * @param waitedMarketMs the market's milliseconds since then
   * @param what it waits for
   * @param next what it will do
   */
  record Waits(long waitedMs, long waitedMarketMs, String what, String next) implements Event {}

  /**
   * The market's time passes at this share of its speed from now on: this machine is slower than
   * those it stands for.
   */
  record Paced(double share) implements Event {}

  /** The coordinator could not go on; another may. */
  record Broken(String reason) implements Event {}

  /**
   * The run's state changed.
   *
   * @param outcome what a run that is STOPPING will have ended as; null for other states
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record RunTurned(RunPhase to, String reason, @Nullable RunPhase outcome) implements Event {
    /** A change to a state that says it all. */
    public RunTurned(RunPhase to, String reason) {
      this(to, reason, null);
    }
  }

  /** A spot node of the pool costs this from now on. */
  record Priced(int pool, long microsPerHour) implements Event {}

  /** Fewer nodes were to be had than were asked for. */
  record Refused(int pool, Market market, int asked, int granted, String reason) implements Event {}

  /** A node was asked for; it is REQUESTED and paid from now on. */
  record Rented(
      String node, Role role, int pool, String poolName, Market market, long microsPerHour)
      implements Event {}

  /** The provider has the node, and finds it again by the handle. */
  record Granted(String node, String handle) implements Event {}

  /** A node's state changed. */
  record NodeTurned(String node, NodeState to, String reason) implements Event {}

  /** The cloud takes the node at this moment. */
  record Taken(String node, String reason) implements Event {}

  /**
   * These are the members from now on, in the order of their ranks.
   *
   * @param restarts how often members' own failures made everybody start again so far
   */
  record Generation(long number, List<String> members, int restarts) implements Event {
    public Generation {
      members = List.copyOf(members);
    }
  }

  /**
   * A member began to train in the generation.
   *
   * @param step the committed steps it starts from; -1 when it does not say
   */
  record Joined(String node, long generation, long step, Report.Origin from) implements Event {}

  /** How far training has come; not every step is logged. */
  record Progress(
      String node,
      long generation,
      long step,
      long samples,
      double loss,
      double computeSeconds,
      double communicationSeconds,
      double waitSeconds,
      double checkpointSeconds)
      implements Event {}

  /** A checkpoint has come this far. */
  record Saved(String node, long step, String state, String reason) implements Event {}

  /** A member could not reach another. */
  record Suspected(String by, String node, String reason) implements Event {}

  /**
   * The training processes of a node ended by themselves.
   *
   * @param number counts the processes that the agent has started; 0 in old logs
   * @param code of the first that failed; 0 when all ended well
   * @param tail the end of what it wrote to its standard error
   * @param localRank the one that failed; null where the node has one process or none failed
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Exited(
      String node, int number, long generation, int code, String tail, @Nullable Integer localRank)
      implements Event {

    /** Makes the end of the only process of a node. */
    public Exited(String node, long generation, int code, String tail) {
      this(node, 0, generation, code, tail, null);
    }
  }

  /**
   * An agent reported its training process.
   *
   * @param number counts the processes that the agent has started
   * @param ready whether the process can join a generation
   * @param port where the process listens to other members
   */
  record Registered(String node, String host, int number, boolean ready, int port)
      implements Event {}

  /**
   * A node ended its old command and can start the one of the generation.
   *
   * @param masterPort a free port of the node, if it has the first rank; else 0
   */
  record Cleared(String node, long generation, int masterPort) implements Event {}

  /** A member still gets the state that it needs; the form timeouts start again. */
  record Forming(String node) implements Event {}

  /** A command prints nothing for too long, or prints again. */
  record Silenced(String node, long generation, boolean silent) implements Event {}

  /** Output of commands arrived; not all of it is logged. */
  record Printed() implements Event {}

  /** A training process reported that all work is done. */
  record Completed(String node) implements Event {}

  /** The agent was ordered to kill a training process. */
  record Killed(String node, int number, String reason) implements Event {}

  /**
   * The agent was ordered to start its training process again.
   *
   * @param start the number of the process to start
   * @param restarts how often processes failed by their own fault so far
   */
  record Restarted(String node, int start, int restarts) implements Event {}

  /** The process of a node ended after a notice. */
  record Departed(String node) implements Event {}

  /**
   * The members of a generation will meet again.
   *
   * @param dueMs when, in milliseconds since 1970, unless another generation comes first
   * @param restarts how often processes failed by their own fault so far
   */
  record Reforming(long generation, long dueMs, int restarts) implements Event {}

  /** The run will stop once its servers have saved this step. */
  record Parting(RunPhase outcome, String reason, long step) implements Event {}

  /**
   * The node will be taken.
   *
   * @param machineNotice the number of the notice that the node's machine itself got; 0 if the
   *     cloud announced it to the coordinator
   */
  record Warned(String node, double leadSeconds, int machineNotice) implements Event {}

  /**
   * A pool is not asked for nodes for a while, because it refused one.
   *
   * @param untilMs in milliseconds since 1970; {@link Long#MAX_VALUE} for the rest of the run
   */
  record Withheld(int pool, long untilMs, String reason) implements Event {}

  /** The cloud confirmed that the machine of a node does not exist any more. */
  record Gone(String node, String cause) implements Event {}
}
