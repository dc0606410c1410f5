package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Role;
import java.util.List;

/** Takes an input in: writes what is new in it. What follows from that is up to the rules. */
final class Intake {

  private static final String INTERRUPTED = "the coordinator was interrupted";

  /** Output during a stop is noted at most this often. */
  private static final long PRINTING_MS = 500;

  private Intake() {}

  static void take(Turn turn, Input input) {
    if (input instanceof Input.Opened e) {
      opened(turn);
      if (e.stop() != null) {
        stop(turn, e.stop());
      }
    } else if (input instanceof Input.Status e) {
      StatusIntake.take(turn, e.status());
    } else if (input instanceof Input.Cloud e) {
      NewsIntake.take(turn, e.news());
    } else if (input instanceof Input.Silent e) {
      NodeLife life = turn.state().find(e.node());
      if (life != null) {
        turn.lose(life, e.how());
      }
    } else if (input instanceof Input.Wishes e) {
      e.wishes().forEach(wish -> wish(turn, wish));
    } else if (input instanceof Input.Stop e) {
      stop(turn, e);
    } else if (input instanceof Input.Paced e) {
      turn.write(new Event.Paced(e.share()));
    } else if (input instanceof Input.Printing) {
      if (turn.state().is(RunPhase.STOPPING)
          && turn.nowMs() - turn.state().phase().sinceMs() >= PRINTING_MS) {
        turn.write(new Event.Alive());
      }
    } else if (!(input instanceof Input.Tick)) {
      throw new IllegalStateException("No rule for the input " + input);
    }
  }

  private static void opened(Turn turn) {
    RunState state = turn.state();
    if (state.epoch() == 0) {
      turn.write(turn.facts().started());
      return;
    }
    turn.write(new Event.Resumed("a new coordinator took over"));
    if (state.is(RunPhase.STOPPING) && state.phase().outcome() == RunPhase.INTERRUPTED) {
      turn.state().living().forEach(life -> turn.turn(life, NodeState.RELEASED, INTERRUPTED));
      turn.write(new Event.RunTurned(RunPhase.INTERRUPTED, INTERRUPTED));
    }
    if (turn.state().is(RunPhase.INTERRUPTED)) {
      turn.write(new Event.RunTurned(RunPhase.WAITING, "the run goes on"));
    }
  }

  private static void wish(Turn turn, Input.Wish wish) {
    if (wish instanceof Input.Wish.Rent rent) {
      if (turn.state().rents()) {
        Orders.rent(turn, Role.WORKER, rent.pool(), rent.market(), rent.microsPerHour());
      }
    } else if (wish instanceof Input.Wish.Release release) {
      List<NodeLife> held = Orders.held(turn.state(), release.pool(), release.market());
      if (!held.isEmpty() && !turn.state().isOver()) {
        turn.turn(held.get(held.size() - 1), NodeState.RELEASED, "given back");
      }
    }
  }

  /**
   * Ends the run before its work is done. A server can only save steps that all workers have
   * finished. So the workers go on until the server has saved, or the time to stop is over.
   */
  private static void stop(Turn turn, Input.Stop stop) {
    RunState state = turn.state();
    if (state.isOver() || state.parting() != null) {
      return;
    }
    boolean served = state.members().stream().anyMatch(life -> !life.isWorker());
    Steps steps = state.steps();
    if (!served || state.is(RunPhase.WAITING) || steps.safeStep() >= steps.step()) {
      turn.conclude(stop.outcome(), stop.reason());
    } else {
      turn.write(new Event.Parting(stop.outcome(), stop.reason(), steps.step()));
    }
  }
}
