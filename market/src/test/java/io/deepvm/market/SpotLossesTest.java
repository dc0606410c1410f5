package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Place;
import io.deepvm.market.survival.Lifetimes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SpotLossesTest {

  @Test
  void theTableIsWhatTheBuiltInRecordsSay() throws IOException {
    List<String> lines = new ArrayList<>(List.of("record,place,instance_type,hours_per_loss"));
    for (String name : Markets.builtIn()) {
      List<Trace> traces = Markets.load(name).traces();
      String type = traces.get(0).pool().instanceType();
      List<Lifetimes> stays = traces.stream().map(Lifetimes::up).toList();
      lines.add(line(name, "*", type, Lifetimes.together(stays)));
      for (int i = 0; i < traces.size(); i++) {
        Pool pool = traces.get(i).pool();
        lines.add(line(name, pool.place().toString(), pool.instanceType(), stays.get(i)));
      }
    }
    try (InputStream table =
        Objects.requireNonNull(SpotLosses.class.getResourceAsStream(SpotLosses.TABLE))) {
      assertThat(new String(table.readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo(String.join("\n", lines) + "\n");
    }
  }

  private static String line(String record, String place, String type, Lifetimes up) {
    return String.format(Locale.ROOT, "%s,%s,%s,%.2f", record, place, type, up.hoursPerEnd());
  }

  @Test
  void aRecordedPoolIsTakenBeforeItsTypeAndTheTypeBeforeAnotherOne() {
    Place recorded = new Place("aws", "us-west-2", "us-west-2a");
    Place elsewhere = new Place("aws", "eu-west-1", "euw1-az1");
    SpotLosses here = SpotLosses.of(new Pool(recorded, "p3.2xlarge"));
    assertThat(here.source()).isEqualTo(SpotLosses.Source.POOL);
    SpotLosses type = SpotLosses.of(new Pool(elsewhere, "p3.2xlarge"));
    assertThat(type.source()).isEqualTo(SpotLosses.Source.TYPE);
    assertThat(type.hoursPerLoss()).isLessThan(here.hoursPerLoss());
    SpotLosses borrowed = SpotLosses.of(new Pool(elsewhere, "g5.xlarge"));
    assertThat(borrowed.source()).isEqualTo(SpotLosses.Source.BORROWED);
    assertThat(borrowed.record()).isEqualTo("aws-v100-2023-02");
    Place azure = new Place("azure", "westus3", null);
    assertThat(SpotLosses.of(new Pool(azure, "x")).record()).isEqualTo("gcp-h100-2025-10");
  }
}
