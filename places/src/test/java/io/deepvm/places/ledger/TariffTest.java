package io.deepvm.places.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TariffTest {

  private static final long HOUR_MS = 3_600_000;

  @Test
  void anHourCostsItsPrice() {
    List<Tariff.Price> prices = List.of(new Tariff.Price(0, 157_800));
    assertThat(Tariff.micros(prices, 5 * HOUR_MS, 6 * HOUR_MS, 60)).isEqualTo(157_800);
  }

  @Test
  void eachSecondCostsThePriceOfItsBeginning() {
    List<Tariff.Price> prices =
        List.of(new Tariff.Price(-HOUR_MS, 3_600_000), new Tariff.Price(90_500, 7_200_000));
    // 91 seconds begin before the change.
    assertThat(Tariff.micros(prices, 0, 100_000, 60)).isEqualTo(91 * 1000 + 9 * 2000);
  }

  @Test
  void theFirstMinuteIsPaidInFullAndLaterPricesDoNotCount() {
    List<Tariff.Price> prices = List.of(new Tariff.Price(0, 3_600_000));
    assertThat(Tariff.micros(prices, 1000, 3000, 60)).isEqualTo(60_000);
    assertThat(Tariff.micros(prices, 1000, 1000, 60)).isEqualTo(60_000);
  }

  @Test
  void theCostIsRoundedOnce() {
    List<Tariff.Price> prices = List.of(new Tariff.Price(0, 1), new Tariff.Price(900_000, 3));
    assertThat(Tariff.micros(prices, 0, 2 * 900_000, 60)).isEqualTo(1);
  }
}
