package io.deepvm.cluster.keeper;

import io.deepvm.cluster.member.Member;
import java.util.List;

/**
 * One membership of the run.
 *
 * @param members by rank
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
}
