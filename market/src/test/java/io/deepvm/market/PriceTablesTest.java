package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.deepvm.catalog.Place;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PriceTablesTest {

  @Test
  void theTablesAreWhatThePriceHistorySays() {
    String file = Shared.path("data/prices/aws_gpu_spot_history.csv.gz");
    PriceMovement movement = new PriceMovement(Markets.priceHistory(Path.of(file)));
    assertThat(movement.drift()).isEqualTo(lines(PriceDrift.table("aws")));
    assertThat(movement.steadiness()).isEqualTo(lines(PriceSteadiness.TABLE));
  }

  @Test
  void theTableOfGoogleIsWhatItsPriceHistorySays() throws IOException {
    String file = Shared.path("data/prices/gcp_gpu_price_history.csv.gz");
    PriceMovement movement = new PriceMovement(GooglePrices.read(Path.of(file)));
    assertThat(movement.drift()).isEqualTo(lines(PriceDrift.table("gcp")));
  }

  private static List<String> lines(String table) {
    return ResourceTable.rows(table).stream().map(row -> String.join(",", row)).toList();
  }

  @Test
  void driftLiesBetweenTheMeasuredDays() {
    assertThat(PriceDrift.after("aws", 0).mean()).isZero();
    assertThat(PriceDrift.after("aws", 88).median()).isEqualTo(0.276);
    assertThat(PriceDrift.after("aws", 74).median()).isEqualTo((0.162 + 0.276) / 2, offset(1e-9));
    assertThat(PriceDrift.after("aws", 10_000)).isEqualTo(PriceDrift.after("aws", 365));
  }

  @Test
  void meanOverAJobLiesBetweenBothEnds() {
    assertThat(PriceDrift.meanOver("aws", 0, 7))
        .isBetween(1.0, 1 + PriceDrift.after("aws", 7).mean());
    assertThat(PriceDrift.meanOver("aws", 88, 0))
        .isEqualTo(1 + PriceDrift.after("aws", 88).mean(), offset(1e-9));
  }

  @Test
  void poolWithoutOffersIsUnknown() {
    assertThat(steadiness("apne1-az2")).isNull();
    assertThat(Objects.requireNonNull(steadiness("apne1-az1")).unrest()).isZero();
  }

  private static @Nullable PriceSteadiness steadiness(String zone) {
    return PriceSteadiness.of(new Pool(new Place("aws", "ap-northeast-1", zone), "g3s.xlarge"));
  }
}
