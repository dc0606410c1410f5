package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

class MoneyProperties {

  private static final long MOST = 1_000_000_000_000_000L;

  @Property
  void whatIsPrintedIsReadBackExactly(@ForAll @LongRange(min = 0, max = MOST) long micros) {
    Money money = new Money(micros);
    assertThat(Money.parse(money.toString())).isEqualTo(money);
    assertThat(Money.parse(money.exactDollars().toPlainString())).isEqualTo(money);
  }

  @Property
  void aBudgetThatFitsExactlyBuysTheLastNode(
      @ForAll @LongRange(min = 1, max = 1_000_000_000) long price,
      @ForAll @LongRange(min = 0, max = 1000) long nodes) {
    Money each = new Money(price);
    assertThat(each.times(nodes).buys(each)).isEqualTo(nodes);
    if (nodes > 0) {
      assertThat(each.times(nodes).minus(new Money(1)).buys(each)).isEqualTo(nodes - 1);
    }
  }

  @Property
  void sumsAreThoseOfDecimalArithmetic(
      @ForAll @LongRange(min = -MOST, max = MOST) long a,
      @ForAll @LongRange(min = -MOST, max = MOST) long b) {
    BigDecimal exact = new Money(a).exactDollars().add(new Money(b).exactDollars());
    assertThat(new Money(a).plus(new Money(b)).exactDollars()).isEqualByComparingTo(exact);
  }
}
