package io.deepvm.cluster.link;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.output.LogRanks;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the coordinator wants of one agent now. The coordinator sends it whole whenever
 * it changes and again as a sign of life, so a lost, late or repeated copy does no harm. An agent
 * ignores a copy that is older than the newest it has.
 *
 * @param epoch counts the coordinators of the run; a newer one overrules an older one
 * @param version counts the changes of one coordinator
 * @param generation the generation to work in; null before the first that has this node
 * @param process what should happen to the training process
 * @param notice the notice that stands; null if there is none
 * @param stop why the agent should end in order; null while it should live
 * @param show the ranks whose output the coordinator wants
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AgentOrders(
    long epoch,
    long version,
    @Nullable Formation generation,
    ProcessOrders process,
    @Nullable NoticeOrder notice,
    @Nullable String stop,
    LogRanks show) {

  /** Returns the same orders as the given version. */
  public AgentOrders withVersion(long number) {
    return new AgentOrders(epoch, number, generation, process, notice, stop, show);
  }

  /** Whether a newer coordinator, or the same one later, gave the other orders. */
  public boolean isOlderThan(AgentOrders other) {
    return epoch < other.epoch || (epoch == other.epoch && version < other.version);
  }

  /**
   * One membership of the run.
   *
   * @param members in the order of their ranks
   * @param restarts how often processes failed by their own fault so far
   * @param masterPort the rendezvous port of commands; 0 until every member has ended its old one
   */
  public record Formation(long number, List<Member> members, int restarts, int masterPort) {

    public Formation {
      members = List.copyOf(members);
    }

    /** Returns the node's place among the members; -1 if it has none. */
    public int rank(String node) {
      for (int i = 0; i < members.size(); i++) {
        if (members.get(i).node().equals(node)) {
          return i;
        }
      }
      return -1;
    }

    /** Returns the rank of the node's first process; its other processes follow. */
    public int firstRank(String node) {
      return members.stream().limit(Math.max(0, rank(node))).mapToInt(Member::processes).sum();
    }

    /** Returns the number of processes of all members. */
    public int worldSize() {
      return members.stream().mapToInt(Member::processes).sum();
    }
  }

  /**
   * What should happen to the training process. An agent numbers its processes from 1.
   *
   * @param start members only: start a process as long as fewer than this many were started
   * @param kill kill the process of this number, if it still runs; 0 for none
   * @param killReason reported as the end of the killed process
   */
  public record ProcessOrders(int start, int kill, String killReason) {}

  /**
   * The node will be taken.
   *
   * @param number distinguishes this notice from earlier ones
   */
  public record NoticeOrder(int number, double leadSeconds) {}
}
