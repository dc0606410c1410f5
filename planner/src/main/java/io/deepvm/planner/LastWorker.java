package io.deepvm.planner;

/**
 * What the last worker of a cluster must bring to be bought.
 *
 * @param leastGain the least relative gain; 0 asks for none
 * @param leastGainPerPrice the least relative gain per relative rise of the price; 0 asks for none
 */
public record LastWorker(double leastGain, double leastGainPerPrice) {

  /** Buys every worker that makes the cluster better. */
  public static final LastWorker ANY = new LastWorker(0, 0);

  /**
   * The last worker must be worth its price: a worker that raises the price by 2 % must raise the
   * speed by 1 %. Its dollar then buys at least half of what the average dollar buys.
   */
  public static final LastWorker WORTH_ITS_PRICE = new LastWorker(0, 0.5);

  public LastWorker {
    Goal.require(
        leastGain >= 0 && leastGain < 1,
        "least marginal gain",
        leastGain,
        "at least 0 and below 1");
    Goal.require(
        leastGainPerPrice >= 0 && leastGainPerPrice < 1,
        "least gain per price",
        leastGainPerPrice,
        "at least 0 and below 1");
  }

  /** Returns the rule that the last worker adds at least this share. */
  public static LastWorker adding(double share) {
    return new LastWorker(share, 0);
  }

  /** Returns whether the rule buys every worker that makes the cluster better. */
  public boolean buysOn() {
    return leastGain == 0 && leastGainPerPrice == 0;
  }

  /** Returns whether a worker that adds a gain for a relative rise of the price is bought. */
  boolean isWorth(double gain, double dearer) {
    return gain >= leastGain && (leastGainPerPrice == 0 || gain >= leastGainPerPrice * dearer);
  }
}
