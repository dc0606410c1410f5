package io.deepvm.cluster.core;

import io.deepvm.cluster.member.Member;
import java.util.List;

/**
 * The newest generation.
 *
 * @param number 0 before the first
 * @param members in the order of their ranks, as they were when the generation formed
 * @param formedMs when it formed, in milliseconds since 1970
 * @param restarts how often processes failed by their own fault so far
 * @param dueMs when the members meet again in the next; {@link Long#MAX_VALUE} if nothing is
 *     planned
 * @param begun whether a member has joined or made a step, so that later steps count from there
 */
public record Membership(
    long number, List<Member> members, long formedMs, int restarts, long dueMs, boolean begun) {

  /** Before the first generation. */
  static final Membership NONE = new Membership(0, List.of(), 0, 0, Long.MAX_VALUE, false);

  public Membership {
    members = List.copyOf(members);
  }

  /** Whether the node is a member. */
  public boolean has(String node) {
    return members.stream().anyMatch(member -> member.node().equals(node));
  }

  /** Returns the names of the members, by rank. */
  public List<String> names() {
    return members.stream().map(Member::node).toList();
  }

  Membership due(long atMs, int restartsNow) {
    return new Membership(number, members, formedMs, restartsNow, Math.min(dueMs, atMs), begun);
  }

  Membership begins() {
    return begun ? this : new Membership(number, members, formedMs, restarts, dueMs, true);
  }

  Membership withRestarts(int restartsNow) {
    return new Membership(number, members, formedMs, restartsNow, dueMs, begun);
  }
}
