package io.deepvm.cluster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.agent.LineSplitter.End;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShownLinesTest {

  private final List<String> seen = new ArrayList<>();
  private long nanos = 17;
  private final ShownLines shown = new ShownLines(() -> nanos, seen::add);

  private void bar(String text, double seconds) {
    nanos += Math.round(seconds * 1e9);
    shown.line(text, End.OVERWRITTEN);
  }

  @Test
  void aProgressBarIsSeenNowAndThenAndAtItsEnd() {
    bar("", 0);
    bar(" 0%", 0);
    bar("10%", 1);
    bar("20%", 3.9);
    bar("30%", 0.1);
    bar("40%", 1);
    shown.line("100%", End.LINE);
    assertThat(seen).containsExactly(" 0%", "30%", "100%");
  }

  @Test
  void theLastStateOfABarIsSeenWhenNothingFollows() {
    bar("10%", 0);
    bar("90%", 1);
    shown.close();
    shown.close();
    assertThat(seen).containsExactly("10%", "90%");
  }

  @Test
  void linesAreSeenAtOnceWhateverTheirNumber() {
    shown.line("a", End.LINE);
    shown.line("", End.LINE);
    shown.line("b", End.CUT);
    shown.close();
    assertThat(seen).containsExactly("a", "", "b");
  }
}
