package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BorrowedLivesTest {

  private static final Pool V100 = pool("us-east-1", "p3.2xlarge");
  private static final Pool OTHER = pool("us-west-2", "p3.2xlarge");

  private static Pool pool(String region, String type) {
    return new Pool(new Place("aws", region, null), type);
  }

  @Test
  void onePoolIsNamed() {
    assertThat(
            BorrowedLives.notes(
                List.of(new BorrowedLives(pool("us-east-1", "g5.xlarge"), V100, "record"))))
        .containsExactly(
            "No trace of aws/us-east-1 g5.xlarge is at hand: its nodes are taken to come and go like"
                + " those of aws/us-east-1 p3.2xlarge in record.");
  }

  @Test
  void fifteenPoolsAreOneLine() {
    List<BorrowedLives> borrowed = new ArrayList<>();
    for (int i = 1; i <= 15; i++) {
      BorrowedLives each = new BorrowedLives(pool("region-" + i, "g5.xlarge"), V100, "record");
      borrowed.add(each);
      borrowed.add(each);
    }
    assertThat(BorrowedLives.notes(borrowed))
        .containsExactly(
            "No trace of 15 pools (aws/region-1 g5.xlarge, aws/region-2 g5.xlarge,"
                + " aws/region-3 g5.xlarge and 12 more) is at hand: their nodes are taken to come"
                + " and go like those of aws/us-east-1 p3.2xlarge in record.");
  }

  @Test
  void eachModelHasALineOfItsOwn() {
    assertThat(
            BorrowedLives.notes(
                List.of(
                    new BorrowedLives(pool("us-east-1", "g5.xlarge"), V100, "record"),
                    new BorrowedLives(pool("us-east-1", "g6.xlarge"), OTHER, "record"))))
        .hasSize(2);
  }
}
