package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The questions a practitioner asks before spreading a training over places. */
public final class Questions {

  /** At this granularity twice the peers bring at best 1.83 times the speed. */
  private static final double WELL_SUITED = 10;

  private final AveragingModel model;

  public Questions(AveragingModel model) {
    this.model = model;
  }

  /** The best gain of twice as many peers at a granularity, if communication stays as it is. */
  public static double doubling(double granularity) {
    return Double.isInfinite(granularity) ? 2 : (1 + granularity) / (1 + granularity / 2);
  }

  /** How well a job suits a set of peers. */
  public enum Suitability {
    /** Granularity 10 and more: nearly linear. */
    GOOD,
    /** From 1 to 10: more peers help, by less and less. */
    LIMITED,
    /** Below 1: the peers communicate more than they calculate. */
    POOR
  }

  /** Is this model suitable for these peers at this target batch size? */
  public Suitability suitability(List<PeerGroup> groups, int targetBatch) {
    double granularity = model.forecast(groups, targetBatch).granularity();
    if (granularity >= WELL_SUITED) {
      return Suitability.GOOD;
    }
    return granularity >= 1 ? Suitability.LIMITED : Suitability.POOR;
  }

  /** Would the peers be faster with one more of some kind that is there? */
  public boolean morePeersHelp(List<PeerGroup> groups, int targetBatch) {
    double now = model.forecast(groups, targetBatch).samplesPerSecond();
    return groups.stream()
        .map(group -> new PeerGroup(group.peer(), 1))
        .anyMatch(more -> adding(groups, more, targetBatch).after().samplesPerSecond() > now);
  }

  /**
   * What adding peers changes.
   *
   * @param helps whether the whole is faster with them
   */
  public record Addition(Forecast before, Forecast after, boolean helps) {

    public double addedSamplesPerSecond() {
      return after.samplesPerSecond() - before.samplesPerSecond();
    }

    /** The change in the price of a million samples. */
    public double addedDollarsPerMillion() {
      return after.dollarsPerMillion() - before.dollarsPerMillion();
    }

    /** Dollars for each million samples more, or infinite when there are none. */
    public double dollarsPerAddedMillion() {
      double added = addedSamplesPerSecond();
      double perHour = after.pricePerHour().dollars() - before.pricePerHour().dollars();
      return added > 0 ? perHour / 3600 / added * 1e6 : Double.POSITIVE_INFINITY;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%s: %.1f instead of %.1f samples/s at $%.2f instead of $%.2f per million",
          helps ? "It helps" : "It does not help",
          after.samplesPerSecond(),
          before.samplesPerSecond(),
          after.dollarsPerMillion(),
          before.dollarsPerMillion());
    }
  }

  /** Does adding this group help, and at what price? */
  public Addition adding(List<PeerGroup> groups, PeerGroup more, int targetBatch) {
    List<PeerGroup> all = new ArrayList<>(groups);
    all.add(more);
    Forecast before = model.forecast(groups, targetBatch);
    Forecast after = model.forecast(all, targetBatch);
    return new Addition(before, after, after.samplesPerSecond() > before.samplesPerSecond());
  }

  /** What target batch size reaches this granularity? */
  public int targetBatch(List<PeerGroup> groups, double granularity) {
    if (!(granularity > 0 && Double.isFinite(granularity))) {
      throw new BadInput(
          "The granularity %s is not a positive number.".formatted(granularity), "Maybe 1 to 20.");
    }
    double seconds = granularity * model.exchange(groups).seconds();
    if (seconds == 0) {
      return 1;
    }
    double batch = seconds * AveragingModel.rate(groups);
    if (batch > Integer.MAX_VALUE - 1) {
      throw new BadInput(
          String.format(
              Locale.ROOT,
              "A granularity of %s would need a target batch of %.3g samples.",
              granularity,
              batch),
          "Maybe ask for less, or leave out the slowest place.");
    }
    int least = (int) Math.ceil(batch);
    // Rounding may have lost the last sample.
    return model.forecast(groups, least).granularity() < granularity ? least + 1 : least;
  }

  /** How one machine alone compares with the peers. */
  public record Comparison(Forecast peers, Forecast machine) {

    /** Whether the machine is at least as fast and costs no more per sample. */
    public boolean machineWins() {
      return machine.samplesPerSecond() >= peers.samplesPerSecond()
          && machine.dollarsPerMillion() <= peers.dollarsPerMillion();
    }

    /** The price per hour below which the machine is the cheaper per sample. */
    public double breakEvenDollarsPerHour() {
      return peers.dollarsPerMillion() * machine.samplesPerSecond() * 3600 / 1e6;
    }
  }

  /** When does one bigger machine win? */
  public Comparison against(List<PeerGroup> groups, Peer bigger, int targetBatch) {
    return new Comparison(
        model.forecast(groups, targetBatch),
        model.forecast(List.of(new PeerGroup(bigger, 1)), targetBatch));
  }
}
