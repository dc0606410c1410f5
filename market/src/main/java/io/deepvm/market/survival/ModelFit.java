package io.deepvm.market.survival;

import io.deepvm.base.BadInput;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.hipparchus.optim.InitialGuess;
import org.hipparchus.optim.MaxEval;
import org.hipparchus.optim.SimpleValueChecker;
import org.hipparchus.optim.nonlinear.scalar.GoalType;
import org.hipparchus.optim.nonlinear.scalar.ObjectiveFunction;
import org.hipparchus.optim.nonlinear.scalar.noderiv.NelderMeadSimplex;
import org.hipparchus.optim.nonlinear.scalar.noderiv.SimplexOptimizer;

/**
 * A model fitted to stays by likelihood, and how good it is.
 *
 * <p>Stays are known in whole ticks only: r ticks stand for anything from half a tick less to half
 * a tick more, a single one for anything shorter, too. The likelihood counts just that, so that
 * models compare fairly even where most stays last a tick or two.
 *
 * @param aic twice the parameters less twice the log-likelihood; the least is best
 * @param distance the largest difference from the Kaplan-Meier curve
 */
public record ModelFit(LifetimeModel model, double logLikelihood, double aic, double distance) {

  private static final int MOST_TRIES = 10_000;
  private static final double WIDEST = 12;
  private static final double LEAST = 1e-300;

  /** Fits every family, the best by AIC first; stays that never end cannot be fitted. */
  public static List<ModelFit> all(Lifetimes lifetimes) {
    if (lifetimes.ends() == 0) {
      throw new BadInput(
          "None of %,d stays was seen to end, so nothing can be fitted."
              .formatted(lifetimes.stays()),
          "Maybe take a longer trace.");
    }
    return Arrays.stream(Family.values())
        .map(family -> of(family, lifetimes))
        .sorted(Comparator.comparingDouble(ModelFit::aic))
        .toList();
  }

  /** Fits one family. */
  public static ModelFit of(Family family, Lifetimes lifetimes) {
    double tickHours = lifetimes.tickSeconds() / 3600;
    double[] guess = new double[family.parameters()];
    guess[0] = Math.log(typicalTicks(lifetimes) * tickHours);
    Likelihood likelihood = new Likelihood(family, lifetimes, guess[0]);
    double[] best =
        new SimplexOptimizer(new SimpleValueChecker(1e-12, 1e-9))
            .optimize(
                new MaxEval(MOST_TRIES),
                new ObjectiveFunction(likelihood::of),
                GoalType.MAXIMIZE,
                new InitialGuess(guess),
                new NelderMeadSimplex(guess.length, 0.5))
            .getPoint();
    LifetimeModel model = likelihood.model(best);
    double value = likelihood.of(best);
    return new ModelFit(
        model, value, 2.0 * family.parameters() - 2 * value, distance(model, lifetimes));
  }

  private static double typicalTicks(Lifetimes lifetimes) {
    double ticks = 0;
    for (int r = 0; r < lifetimes.ended().length; r++) {
      ticks += (double) r * (lifetimes.ended()[r] + lifetimes.censored()[r]);
    }
    return ticks / lifetimes.ends();
  }

  private static double distance(LifetimeModel model, Lifetimes lifetimes) {
    double tickHours = lifetimes.tickSeconds() / 3600;
    double distance = 0;
    double before = 1;
    for (KaplanMeier.Step step : KaplanMeier.of(lifetimes).steps()) {
      double reached = step.ticks() == 1 ? 1 : model.survival((step.ticks() - 0.5) * tickHours);
      double left = model.survival((step.ticks() + 0.5) * tickHours);
      distance =
          Math.max(
              distance, Math.max(Math.abs(before - reached), Math.abs(step.survival() - left)));
      before = step.survival();
    }
    return distance;
  }

  /** The log-likelihood of parameters given as logarithms. */
  private static final class Likelihood {

    private final Family family;
    private final double tickHours;
    private final double centre;
    private final int[] seen;
    private final Lifetimes lifetimes;

    Likelihood(Family family, Lifetimes lifetimes, double centre) {
      this.family = family;
      this.lifetimes = lifetimes;
      this.centre = centre;
      tickHours = lifetimes.tickSeconds() / 3600;
      seen =
          IntStream.range(1, lifetimes.ended().length)
              .filter(r -> lifetimes.ended()[r] + lifetimes.censored()[r] > 0)
              .toArray();
    }

    LifetimeModel model(double[] logs) {
      return new LifetimeModel(family, Math.exp(logs[0]), logs.length == 1 ? 1 : Math.exp(logs[1]));
    }

    double of(double[] logs) {
      if (Math.abs(logs[0] - centre) > WIDEST || (logs.length > 1 && Math.abs(logs[1]) > 4)) {
        return -Double.MAX_VALUE;
      }
      LifetimeModel model = model(logs);
      double sum = 0;
      for (int r : seen) {
        double reached = r == 1 ? 1 : model.survival((r - 0.5) * tickHours);
        long ended = lifetimes.ended()[r];
        if (ended > 0) {
          double left = model.survival((r + 0.5) * tickHours);
          sum += ended * Math.log(Math.max(LEAST, reached - left));
        }
        sum += lifetimes.censored()[r] * Math.log(Math.max(LEAST, reached));
      }
      return sum;
    }
  }
}
