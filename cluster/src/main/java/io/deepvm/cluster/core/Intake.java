package io.deepvm.cluster.core;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.member.Role;
import java.util.List;

/** Takes an input in: writes what is new in it. What follows from that is up to the rules. */
final class Intake implements Input.Visitor, Input.Wish.Grants {

  private static final String INTERRUPTED = "the coordinator was interrupted";

  /** Output during a stop is noted at most this often. */
  private static final long PRINTING_MS = 500;

  /** Output of a command is noted at most this often. */
  private static final long PRINTED_MS = 10_000;

  private final Turn turn;

  private Intake(Turn turn) {
    this.turn = turn;
  }

  static void take(Turn turn, Input input) {
    input.accept(new Intake(turn));
  }

  @Override
  public void opened(Input.Opened input) {
    open();
    if (input.stop() != null) {
      stop(input.stop());
    }
  }

  @Override
  public void status(Input.Status input) {
    StatusIntake.take(turn, input.status());
  }

  @Override
  public void silent(Input.Silent input) {
    NodeLife life = turn.state().find(input.node());
    if (life != null) {
      turn.lose(life, input.how());
    }
  }

  @Override
  public void cloud(Input.Cloud input) {
    NewsIntake.take(turn, input.news());
  }

  @Override
  public void wishes(Input.Wishes input) {
    input.wishes().forEach(wish -> wish.grant(this));
  }

  @Override
  public void paced(Input.Paced input) {
    turn.write(new Event.Paced(input.share()));
  }

  @Override
  public void printing(Input.Printing input) {
    RunState state = turn.state();
    if (state.is(RunPhase.STOPPING) && turn.nowMs() - state.phase().sinceMs() >= PRINTING_MS) {
      turn.write(new Event.Alive());
    } else if (state.is(RunPhase.TRAINING)
        && Kinds.isCommand(state)
        && turn.nowMs() - state.steps().movedMs() >= PRINTED_MS) {
      turn.write(new Event.Printed());
    }
  }

  @Override
  public void tick(Input.Tick input) {}

  private void open() {
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

  @Override
  public void rent(Input.Wish.Rent wish) {
    if (turn.state().rents()) {
      Orders.rent(turn, Role.WORKER, wish.pool(), wish.market(), wish.microsPerHour());
    }
  }

  @Override
  public void release(Input.Wish.Release wish) {
    List<NodeLife> held = Orders.held(turn.state(), wish.pool(), wish.market());
    if (!held.isEmpty() && !turn.state().isOver()) {
      turn.turn(held.get(held.size() - 1), NodeState.RELEASED, "given back");
    }
  }

  /**
   * Ends the run before its work is done. A server can only save steps that all workers have
   * finished. So the workers go on until the server has saved, or the time to stop is over.
   */
  @Override
  public void stop(Input.Stop stop) {
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
