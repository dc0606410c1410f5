package io.deepvm.base;

import java.math.BigDecimal;
import java.math.RoundingMode;

/**
 * An amount of US dollars in whole micro-dollars, so that sums and comparisons of prices are exact.
 */
public record Money(long micros) implements Comparable<Money> {

  public static final Money ZERO = new Money(0);

  private static final int DECIMALS = 6;

  /** Reads "2.85", "$2.85" or "1e-3"; more than six decimals are rounded to the nearest even. */
  public static Money parse(String text) {
    String digits = text.strip();
    if (digits.startsWith("$")) {
      digits = digits.substring(1);
    }
    try {
      return of(new BigDecimal(digits));
    } catch (NumberFormatException e) {
      throw new BadInput(
          "'%s' is not an amount of dollars.".formatted(text), "Maybe write it like 2.85.");
    } catch (ArithmeticException e) {
      throw new BadInput(
          "$%s is more money than can be counted in micro-dollars.".formatted(text),
          "Maybe a decimal point is missing.");
    }
  }

  /** Returns the amount nearest to this many dollars. */
  public static Money of(BigDecimal dollars) {
    // A huge exponent would make the shift below allocate gigabytes before it is refused.
    if (dollars.precision() - (long) dollars.scale() > 13) {
      throw new ArithmeticException("out of range");
    }
    return new Money(
        dollars.movePointRight(DECIMALS).setScale(0, RoundingMode.HALF_EVEN).longValueExact());
  }

  public Money plus(Money other) {
    return new Money(Math.addExact(micros, other.micros));
  }

  public Money minus(Money other) {
    return new Money(Math.subtractExact(micros, other.micros));
  }

  public Money times(long factor) {
    return new Money(Math.multiplyExact(micros, factor));
  }

  /** Returns the amount times a real factor, to the nearest micro-dollar. */
  public Money times(double factor) {
    return of(BigDecimal.valueOf(micros * factor).movePointLeft(DECIMALS));
  }

  /** How many whole times the price goes into this amount. */
  public long buys(Money price) {
    return Math.floorDiv(micros, price.micros);
  }

  public boolean isPositive() {
    return micros > 0;
  }

  /** The amount in dollars, for ratios and charts only: sums belong in micro-dollars. */
  public double dollars() {
    return micros / 1e6;
  }

  /** The exact amount in dollars with as many decimals as it needs. */
  public BigDecimal exactDollars() {
    BigDecimal exact = BigDecimal.valueOf(micros, DECIMALS).stripTrailingZeros();
    return exact.scale() < 0 ? exact.setScale(0) : exact;
  }

  @Override
  public int compareTo(Money other) {
    return Long.compare(micros, other.micros);
  }

  /** Prints at least two decimals and no more than it needs: $3.00, $2.8526, -$0.05. */
  @Override
  public String toString() {
    BigDecimal absolute = exactDollars().abs();
    if (absolute.scale() < 2) {
      absolute = absolute.setScale(2);
    }
    return (micros < 0 ? "-$" : "$") + absolute.toPlainString();
  }
}
