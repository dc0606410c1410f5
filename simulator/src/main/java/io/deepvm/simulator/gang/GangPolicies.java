package io.deepvm.simulator.gang;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** The policies by name. */
public final class GangPolicies {

  /**
   * A policy that can be made for a market; only those that know the future look at it.
   *
   * @param oneZone whether it stays in the market's first zone
   */
  public record Entry(
      String name,
      String description,
      boolean oneZone,
      BiFunction<GangMarket, Quirks, GangPolicy> maker) {

    /** Returns a fresh policy as a user wants it. */
    public GangPolicy make(GangMarket market) {
      return maker.apply(market, Quirks.NONE);
    }
  }

  private static final double BELIEVED_HOURS = 2;
  private static final double ANY_HOURS = 1e9;

  private static final List<Entry> ALL = list();

  private GangPolicies() {}

  private static List<Entry> list() {
    List<Entry> all = new ArrayList<>();
    all.add(
        new Entry(
            "on-demand", "On demand from first to last.", true, (m, q) -> new OnDemandGang()));
    all.add(
        new Entry(
            "greedy",
            "Spot when it can be had, on demand at the end.",
            true,
            (m, q) -> new Greedy(0)));
    all.add(
        new Entry("UP", "Uniform Progress in one zone.", true, (m, q) -> new UniformProgress(0)));
    all.add(
        new Entry(
            "UP(S)",
            "Uniform Progress, the cheapest zone first.",
            false,
            (m, q) -> new UniformProgressByPrice(q)));
    all.add(
        new Entry(
            "UP(A)",
            "Uniform Progress, the most available zone first.",
            false,
            (m, q) -> new UniformProgressByAvailability(q)));
    all.add(
        new Entry(
            "UP(AP)",
            "Uniform Progress, the most availability per dollar first.",
            false,
            (m, q) -> new UniformProgressByValue(q)));
    all.add(
        new Entry(
            "SkyNomad",
            "Value of progress from a reference cost, lifetimes up to 2 h.",
            false,
            (m, q) -> SkyNomad.learning(reference(), q)));
    all.add(
        new Entry(
            "SkyNomad[rate_ratio,virtual]",
            "Value of progress from the pace, probes count as runs.",
            false,
            (m, q) -> SkyNomad.learning(pace(PaceValue.RATE_RATIO), q)));
    all.add(
        new Entry(
            "SkyNomad(o)",
            "SkyNomad that knows how long each zone stays up.",
            false,
            (m, q) -> SkyNomad.knowing(RunLengths.of(m), reference(), q)));
    all.add(
        new Entry(
            "SkyNomad(o)[rate_ratio]",
            "The same with the value from the pace.",
            false,
            (m, q) -> SkyNomad.knowing(RunLengths.of(m), pace(PaceValue.RATE_RATIO), q)));
    all.add(
        new Entry(
            "clairvoyant",
            "What is cheapest for a gang that knows the market of the next 3 x the work.",
            false,
            (m, q) -> new Clairvoyant(m, 3)));
    return List.copyOf(all);
  }

  /** SkyNomad's settings for the H100 sweeps. */
  public static SkyNomad.Settings reference() {
    return new SkyNomad.Settings(new ReferenceCost(), BELIEVED_HOURS, false);
  }

  /** SkyNomad's settings for the V100 sweep and for its appendix. */
  public static SkyNomad.Settings pace(PaceValue value) {
    return new SkyNomad.Settings(value, ANY_HOURS, true);
  }

  /** All policies, the simplest first. */
  public static List<Entry> all() {
    return ALL;
  }

  /** Returns the policy of the name. */
  public static Entry named(String name) {
    return ALL.stream()
        .filter(entry -> entry.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(
            () -> {
              List<String> names = ALL.stream().map(Entry::name).toList();
              return new BadInput(
                  "There is no gang policy '%s'.".formatted(name),
                  Suggestion.maybe(
                      name, names, "Maybe one of: %s.".formatted(String.join(", ", names))));
            });
  }
}
