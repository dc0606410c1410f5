package io.deepvm.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import java.time.LocalDate;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Old prices are announced by cloud, on any day. */
class PriceAgeTest {

  private static final Catalog SNAPSHOT = Catalogs.load(Catalogs.DEFAULT);

  @Test
  void cloudsThatPlansUseAreNamedFirst() {
    assertThat(announced("2026-11-18", "gcp", "aws"))
        .isEqualTo(
            "Prices are old: gcp, lambda and runpod at least 79 days (2026-08); aws 88 days"
                + " (2026-08-22); azure about 14 months (2025-09). Refresh them with 'deepvm"
                + " catalog refresh'.");
  }

  @ParameterizedTest
  @CsvSource({"2025-10-30, false", "2025-10-31, true"})
  void thirtyDaysPassInSilence(String today, boolean announced) {
    assertThat(announced(today) != null).isEqualTo(announced);
  }

  @Test
  void aCatalogOfThePastIsOldOnPurpose() {
    for (String name : List.of("paper", "paper-simulation")) {
      assertThat(
              PriceAge.announcement(
                  Catalogs.load(name), new LinkedHashSet<>(), LocalDate.parse("2026-11-18")))
          .isNull();
    }
  }

  @Test
  void pricesOfAnUnknownDayHaveNoAge() {
    Catalog undated = new Catalog("mine", null, "", SNAPSHOT.listings(), List.of());
    assertThat(PriceAge.announcement(undated, new LinkedHashSet<>(), LocalDate.parse("2026-11-18")))
        .isNull();
  }

  private static @Nullable String announced(String today, String... first) {
    return PriceAge.announcement(
        SNAPSHOT, new LinkedHashSet<>(List.of(first)), LocalDate.parse(today));
  }
}
