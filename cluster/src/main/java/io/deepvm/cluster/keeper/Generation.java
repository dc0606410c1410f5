package io.deepvm.cluster.keeper;

import io.deepvm.cluster.member.Member;
import java.util.List;

/**
 * One membership of the run.
 *
 * @param members in the order of their ranks
 * @param restarts how often members' own failures made everybody start again
 */
public record Generation(long number, List<Member> members, int restarts) {

  public Generation {
    members = List.copyOf(members);
  }

  /** Returns the node's place among the members; -1 when it is none. */
  public int rank(String node) {
    for (int i = 0; i < members.size(); i++) {
      if (members.get(i).node().equals(node)) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the rank of the node's first process; those of its others follow. */
  public int firstRank(String node) {
    return members.stream().limit(Math.max(0, rank(node))).mapToInt(Member::processes).sum();
  }

  /** Returns how many processes all members have together. */
  public int worldSize() {
    return members.stream().mapToInt(Member::processes).sum();
  }
}
