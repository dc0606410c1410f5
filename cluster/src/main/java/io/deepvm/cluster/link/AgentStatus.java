package io.deepvm.cluster.link;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.deepvm.cluster.member.Report;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the coordinator should know of one agent now. The agent sends it whole whenever
 * it changes and again as a sign of life, so a lost, late or repeated copy does no harm. The
 * coordinator ignores a copy that is older than the newest it has.
 *
 * @param node the agent's node
 * @param version counts the changes of this agent
 * @param host the address of the node
 * @param process the newest training process
 * @param barrier how far the node is on its way into a generation
 * @param work the newest reports about the work
 * @param notice the newest notice that the node's machine itself got; null if it got none
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AgentStatus(
    String node,
    long version,
    String host,
    TrainingProcess process,
    Barrier barrier,
    Work work,
    @Nullable MachineNotice notice) {

  /**
   * A notice that the machine of the node will be taken, which the machine itself got.
   *
   * @param number counts the notices of this machine, from 1
   * @param leadSeconds the time left when the machine got it
   * @param reason the source and what it announced
   * @param stands false once its source withdrew it
   */
  public record MachineNotice(int number, double leadSeconds, String reason, boolean stands) {}

  /**
   * The newest training process.
   *
   * @param number counts the processes that this agent started; 0 before the first
   * @param ready whether it can join a generation; a node of a command is ready without a process
   * @param port where it listens to other members; 0 if it does not say
   * @param exit how the newest process that ended by itself did so; null if none has
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record TrainingProcess(int number, boolean ready, int port, @Nullable Exit exit) {}

  /**
   * The end of a training process that the coordinator did not ask for, or that it asked for by
   * {@link AgentOrders.ProcessOrders#kill}.
   *
   * @param number of the process
   * @param generation in which it worked; 0 before its first
   * @param code of the first process of the node that failed; 0 if all ended well; -1 if killed
   * @param tail the end of its standard error
   * @param localRank of the process that failed; null if the node has one process or none failed
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Exit(
      int number, long generation, int code, String tail, @Nullable Integer localRank) {}

  /**
   * How far the node is on its way into a generation.
   *
   * @param cleared commands: the newest generation for which the old command has ended
   * @param masterPort commands: a free port of this node, chosen when it cleared as rank 0
   * @param launched commands: the newest generation for which the command was started
   * @param forming members: counts reports that the process still gets its state
   * @param formed members: the newest report that the process trains; null before the first
   * @param suspect members: the newest report that another member is out of reach; null if none
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Barrier(
      long cleared,
      int masterPort,
      long launched,
      long forming,
      Report.@Nullable Formed formed,
      Report.@Nullable Suspect suspect) {}

  /**
   * The newest reports about the work.
   *
   * @param step the newest step; null before the first
   * @param saved the newest report of each checkpoint state
   * @param finished the report that all work is done; null before
   * @param silent commands: the generation in which the command prints nothing; 0 if it prints
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Work(
      Report.@Nullable Step step,
      List<Report.Saved> saved,
      Report.@Nullable Finished finished,
      long silent) {

    public Work(
        Report.@Nullable Step step,
        List<Report.Saved> saved,
        Report.@Nullable Finished finished,
        long silent) {
      this.step = step;
      this.saved = List.copyOf(saved);
      this.finished = finished;
      this.silent = silent;
    }
  }
}
