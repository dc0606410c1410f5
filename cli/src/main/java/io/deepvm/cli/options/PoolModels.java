package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.catalog.Market;
import io.deepvm.cli.print.BorrowedLosses;
import io.deepvm.market.Pool;
import io.deepvm.market.Trace;
import io.deepvm.market.interruption.Band;
import io.deepvm.market.interruption.Interruptions;
import io.deepvm.market.survival.CapacityModel;
import io.deepvm.simulator.PlannedRun;
import io.deepvm.simulator.Stage;
import io.deepvm.simulator.forecast.Lenders;
import io.deepvm.simulator.forecast.StatedLives;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Models of spot nodes' lives, fitted to the pools of a record. A pool of the plan that is not in
 * the record borrows the lives of the recorded pools.
 */
final class PoolModels {

  private final String source;
  private final List<Trace> traces;
  private final @Nullable Interruptions interruptions;
  private final Map<Pool, CapacityModel> fitted = new HashMap<>();

  /**
   * Fits to traces on one clock, without gaps, when they are needed.
   *
   * @param interruptions stated for pools that were not recorded; null if nothing is
   */
  PoolModels(String source, List<Trace> traces, @Nullable Interruptions interruptions) {
    this.source = source;
    this.traces = traces;
    this.interruptions = interruptions;
  }

  /** Returns the pools of the plan as traces, one of those each may be like; for a stage. */
  List<Trace> traces(PlannedRun run) {
    return alternatives(run).get(0);
  }

  /** Returns models of the plan's pools, once for each recorded pool that they may be like. */
  List<List<CapacityModel>> models(PlannedRun run, DependenceRule rule) {
    List<List<CapacityModel>> models = new ArrayList<>();
    List<Trace> lenders = lenders(run);
    List<List<Trace>> alternatives = alternatives(run);
    for (int i = 0; i < alternatives.size(); i++) {
      List<CapacityModel> one = new ArrayList<>();
      for (Trace pool : alternatives.get(i)) {
        Trace own = own(pool.pool());
        Band band = own != null || interruptions == null ? null : interruptions.of(pool.pool());
        CapacityModel fit =
            band == null
                ? fit(own == null ? lenders.get(i) : own)
                : StatedLives.of(band, lenders.get(i));
        one.add(fit.of(pool, rule.of(fit.dependence())));
      }
      models.add(one);
    }
    return models;
  }

  /** Returns what the plan's pools borrow; null when the record has all of them. */
  @Nullable BorrowedLosses borrowed(PlannedRun run) {
    List<Pool> borrowers = borrowers(run);
    return borrowers.isEmpty()
        ? null
        : new BorrowedLosses(source, borrowers, lenders(run).stream().map(Trace::pool).toList());
  }

  private List<Pool> borrowers(PlannedRun run) {
    return run.workers().stream()
        .filter(group -> group.market() == Market.SPOT)
        .map(PlannedRun.Group::pool)
        .distinct()
        .filter(pool -> own(pool) == null)
        .toList();
  }

  private List<List<Trace>> alternatives(PlannedRun run) {
    List<List<Trace>> alternatives = new ArrayList<>();
    for (Trace lender : lenders(run)) {
      Map<Pool, Trace> one = new LinkedHashMap<>();
      for (PlannedRun.Group group : run.workers()) {
        Trace own = own(group.pool());
        one.putIfAbsent(group.pool(), alike(group, run.size(), own == null ? lender : own));
      }
      alternatives.add(List.copyOf(one.values()));
    }
    return alternatives;
  }

  /** Returns the recorded pools that the plan's may be like, the one in the middle first. */
  private List<Trace> lenders(PlannedRun run) {
    List<Trace> usual = Lenders.of(traces);
    return borrowers(run).isEmpty() ? usual.subList(0, 1) : usual;
  }

  private @Nullable Trace own(Pool pool) {
    return traces.stream().filter(t -> Stage.isOf(t.pool(), pool)).findFirst().orElse(null);
  }

  private CapacityModel fit(Trace lender) {
    return fitted.computeIfAbsent(lender.pool(), pool -> CapacityModel.of(lender));
  }

  /** Returns a trace with the group's place, type and prices, and the lives of a recorded one. */
  private static Trace alike(PlannedRun.Group group, int size, Trace lender) {
    Money onDemand = group.onDemandPerHour();
    if (onDemand == null) {
      throw new BadInput(
          "The plan does not say what a %s costs on demand.".formatted(group.pool()),
          "Maybe name a --trace that has it.");
    }
    Trace scaled = lender.asked() == size ? lender : lender.scaled(size);
    double[] prices = new double[scaled.length()];
    Arrays.fill(
        prices,
        group.market() == Market.SPOT ? group.pricePerHour().dollars() : onDemand.dollars());
    return new Trace(
        group.pool(),
        scaled.start(),
        scaled.tick(),
        scaled.available(),
        size,
        prices,
        onDemand.dollars());
  }
}
