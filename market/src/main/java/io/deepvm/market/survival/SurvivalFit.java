package io.deepvm.market.survival;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What past stays show about the length of the next one.
 *
 * @param models fitted to them, the best by AIC first; none where no stay was seen to end
 */
public record SurvivalFit(Lifetimes lifetimes, KaplanMeier curve, List<ModelFit> models) {

  /** Fits stays. */
  public static SurvivalFit of(Lifetimes lifetimes) {
    return new SurvivalFit(
        lifetimes,
        KaplanMeier.of(lifetimes),
        lifetimes.ends() == 0 ? List.of() : ModelFit.all(lifetimes));
  }

  /** Returns the best model, or null where no stay was seen to end. */
  public @Nullable ModelFit best() {
    return models.isEmpty() ? null : models.get(0);
  }

  /** Returns the model without memory, or null where no stay was seen to end. */
  public @Nullable ModelFit exponential() {
    return models.stream()
        .filter(fit -> fit.model().family() == Family.EXPONENTIAL)
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns the chance that all of some new nodes last some hours by the best model, if they are
   * lost independently of each other; NaN without a model.
   */
  public double allSurvive(int nodes, double hours) {
    ModelFit best = best();
    return best == null ? Double.NaN : Math.pow(best.model().survival(hours), nodes);
  }
}
