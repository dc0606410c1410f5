package io.deepvm.cli.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BorrowedLossesTest {

  private static final List<Pool> V100 =
      List.of(pool("us-east-1", "p3.2xlarge"), pool("us-east-2", "p3.2xlarge"));

  private static Pool pool(String region, String type) {
    return new Pool(new Place("aws", region, null), type);
  }

  private static BorrowedLosses by(Pool borrower) {
    return new BorrowedLosses("record", List.of(borrower), V100);
  }

  @Test
  void theHeadlineNamesTheTypeTheLendersAndTheRange() {
    assertThat(by(pool("us-east-1", "g5.xlarge")).warning())
        .isEqualTo(
            "Borrowed losses: no trace of g5.xlarge is at hand; each run lives with those of"
                + " p3.2xlarge in 2 zones (record), one zone at a time, and the range covers all"
                + " zones.");
  }

  @Test
  void oneRunNamesItsLender() {
    assertThat(by(pool("us-east-1", "g5.xlarge")).ofOneRun())
        .isEqualTo(
            "No trace of g5.xlarge is at hand: its nodes come and go like those of"
                + " aws/us-east-1 p3.2xlarge in record.");
  }

  @Test
  void fifteenPoolsAreOneLine() {
    List<BorrowedLosses> borrowed = new ArrayList<>();
    for (int i = 1; i <= 15; i++) {
      borrowed.add(by(pool("region-" + i, "g5.xlarge")));
      borrowed.add(by(pool("region-" + i, "g5.xlarge")));
    }
    assertThat(BorrowedLosses.notes(borrowed))
        .containsExactly(
            "No trace of 15 pools (aws/region-1 g5.xlarge, aws/region-2 g5.xlarge,"
                + " aws/region-3 g5.xlarge and 12 more) is at hand: losses are borrowed from"
                + " p3.2xlarge in 2 zones (record).");
  }

  @Test
  void eachRecordHasALineOfItsOwn() {
    Pool pool = pool("us-east-1", "g5.xlarge");
    assertThat(
            BorrowedLosses.notes(
                List.of(by(pool), new BorrowedLosses("other", List.of(pool), V100))))
        .hasSize(2);
  }
}
