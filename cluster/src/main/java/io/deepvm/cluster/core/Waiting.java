package io.deepvm.cluster.core;

import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.market.Pool;
import java.util.List;

/** Reports what a run waits for, and ends one that waits in vain. */
final class Waiting implements Rule {

  /** Real time between two reports. */
  private static final long SAID_MS = 30_000;

  /** The longest wait without any node, in the market's time. */
  private static final long LONGEST_MARKET_MS = 7L * 24 * 3600 * 1000;

  @Override
  public void apply(Turn turn) {
    RunState state = turn.state();
    if (turn.nowMs() >= wakeMs(state)) {
      turn.write(report(turn));
    }
    long waited = turn.now().marketMs() - state.phase().sinceMarketMs();
    if (lacksNodes(state) && waited > LONGEST_MARKET_MS && state.living().isEmpty()) {
      turn.conclude(
          RunPhase.INFEASIBLE,
          "no node could be rented for %d days of the market's time"
              .formatted(LONGEST_MARKET_MS / (24 * 3600 * 1000)));
    }
  }

  private static boolean lacksNodes(RunState state) {
    return state.epoch() > 0
        && state.rents()
        && (state.is(RunPhase.WAITING) || state.is(RunPhase.FORMING));
  }

  /** Returns since when the run makes no progress. */
  private static long sinceMs(RunState state) {
    return state.is(RunPhase.TRAINING) ? state.steps().movedMs() : state.phase().sinceMs();
  }

  private static Event.Waits report(Turn turn) {
    RunState state = turn.state();
    return switch (state.phase().now()) {
      case FORMING -> forming(turn);
      case TRAINING -> training(turn);
      case STOPPING -> stopping(turn);
      default -> waiting(turn);
    };
  }

  private static Event.Waits training(Turn turn) {
    Steps steps = turn.state().steps();
    double bound = Kinds.timeouts(turn.state()).silenceSeconds();
    boolean command = Kinds.isCommand(turn.state());
    String what =
        command
            ? "'%s' to end, which shows no output"
                .formatted(Words.command(turn.facts().spec().work()))
            : "step %d".formatted(steps.step() + 1);
    String next =
        bound <= 0
            ? "nothing, as no bound is set"
            : "the processes are started again after %.0f s without %s"
                .formatted(bound, command ? "output" : "a step");
    return new Event.Waits(
        turn.nowMs() - steps.movedMs(),
        Math.max(0, turn.now().marketMs() - steps.movedMarketMs()),
        what,
        next);
  }

  private static Event.Waits stopping(Turn turn) {
    RunState state = turn.state();
    List<String> open =
        state.nodes().stream()
            .filter(life -> !(life.machine() instanceof Machine.Gone))
            .map(NodeLife::name)
            .toList();
    return report(
        turn,
        "the end of %s".formatted(String.join(", ", open)),
        "the run ends within %d s, even if its cloud does not confirm that"
            .formatted(Math.max(0, Stopping.lastMs(state) - turn.nowMs()) / 1000));
  }

  private static Event.Waits forming(Turn turn) {
    long generation = turn.state().membership().number();
    List<String> late =
        turn.state().members().stream()
            .filter(life -> !life.trainsIn(generation))
            .map(NodeLife::name)
            .toList();
    return report(
        turn,
        "%s to begin to train".formatted(String.join(", ", late)),
        "a process that does not begin within %.0f s is started again"
            .formatted(Kinds.timeouts(turn.state()).formSeconds()));
  }

  private static Event.Waits waiting(Turn turn) {
    RunSpec spec = turn.facts().spec();
    List<NodeLife> held = turn.state().living();
    long starting =
        held.stream()
            .filter(
                life -> life.state() == NodeState.REQUESTED || life.state() == NodeState.BOOTING)
            .count();
    return starting > 0
        ? report(
            turn,
            "%d of %d nodes to start".formatted(starting, held.size()),
            "a node that does not start within %.0f s is replaced"
                .formatted(spec.patience().bootSeconds()))
        : report(
            turn,
            "nodes: %d of %d are there, and %s"
                .formatted(held.size(), turn.facts().workers() + spec.servers(), capacity(turn)),
            "the policy is asked again at every tick of the market, and training goes on with %d"
                .formatted(spec.minWorkers()));
  }

  private static Event.Waits report(Turn turn, String what, String next) {
    RunState.Phase phase = turn.state().phase();
    return new Event.Waits(
        turn.nowMs() - phase.sinceMs(), turn.now().marketMs() - phase.sinceMarketMs(), what, next);
  }

  private static String capacity(Turn turn) {
    List<Pool> pools = turn.facts().pools();
    List<Integer> capacity = turn.now().capacity();
    if (capacity.size() != pools.size() || capacity.stream().anyMatch(count -> count < 0)) {
      return "the cloud does not say how many it has";
    }
    int all = capacity.stream().mapToInt(Integer::intValue).sum();
    return pools.size() == 1
        ? "the market has %d spot nodes of %s".formatted(all, pools.get(0))
        : "the market has %d spot nodes in %d pools".formatted(all, pools.size());
  }

  @Override
  public long wakeMs(RunState state) {
    boolean trains = state.is(RunPhase.TRAINING) && !state.steps().finishing();
    boolean waits = lacksNodes(state) || trains || state.is(RunPhase.STOPPING);
    return waits ? Math.max(state.phase().saidMs(), sinceMs(state)) + SAID_MS : Long.MAX_VALUE;
  }
}
