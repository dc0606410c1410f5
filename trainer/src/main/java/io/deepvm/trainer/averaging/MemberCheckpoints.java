package io.deepvm.trainer.averaging;

import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.trainer.member.AtWork;
import io.deepvm.trainer.member.ModelState;
import io.deepvm.trainer.member.Saves;
import io.deepvm.trainer.member.Session;
import io.deepvm.trainer.member.Totals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Restores checkpoints, also one that a lost member saved before the others knew its step. */
final class MemberCheckpoints {

  private final Saves saves;
  private Set<String> present = Set.of();

  /** Whether a member of the last generation is gone. */
  private boolean lost;

  MemberCheckpoints(Saves saves) {
    this.saves = saves;
  }

  /** A generation begins. */
  void form(Order.Form form) {
    Set<String> now = form.members().stream().map(Member::node).collect(Collectors.toSet());
    lost = !now.containsAll(present);
    present = now;
  }

  /** Restores such a checkpoint if there is one, and returns whether the state has changed. */
  boolean restores(ModelState state, Meeting meeting, Session session, long generation) {
    if (!lost || meeting.source() < 0) {
      return false;
    }
    Totals before = state.totals();
    AtWork sign = session.atWork();
    try {
      Totals later = saves.restoreLater(state, meeting.totals().step());
      if (later != null) {
        state.validate(later.in(generation));
      }
    } finally {
      sign.end();
    }
    return !Objects.equals(before, state.totals());
  }

  /** Restores the newest checkpoint and returns its totals; null if there is none. */
  @Nullable Totals restoreNewest(ModelState state, Session session) {
    AtWork sign = session.atWork();
    try {
      return saves.restore(state);
    } catch (IOException e) {
      throw new UncheckedIOException("No checkpoint can be restored.", e);
    } finally {
      sign.end();
    }
  }
}
