package io.deepvm.cluster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineSplitterTest {

  private final List<String> lines = new ArrayList<>();
  private final LineSplitter splitter =
      new LineSplitter((text, end) -> lines.add(end + ":" + text));

  private List<String> split(String... parts) {
    for (String part : parts) {
      splitter.feed(part.toCharArray(), part.length());
    }
    splitter.close();
    return lines;
  }

  @Test
  void linesEndAtLineFeedsAndAtTheEnd() {
    assertThat(split("a\nb\r", "\n\nrest"))
        .containsExactly("LINE:a", "LINE:b", "LINE:", "LINE:rest");
  }

  @Test
  void aCarriageReturnAloneMarksALineThatIsOverwritten() {
    assertThat(split("\r 10%", "\r 20%\rdone\n"))
        .containsExactly("OVERWRITTEN:", "OVERWRITTEN: 10%", "OVERWRITTEN: 20%", "LINE:done");
  }

  @Test
  void aLineWithoutAnEndIsCutIntoPieces() {
    String much = "x".repeat(2 * LineSplitter.MOST_CHARS + 1);
    assertThat(split(much))
        .containsExactly(
            "CUT:" + "x".repeat(LineSplitter.MOST_CHARS),
            "CUT:" + "x".repeat(LineSplitter.MOST_CHARS),
            "LINE:x");
  }

  @Test
  void aCutDoesNotPartTheHalvesOfACharacter() {
    String rocket = "\uD83D\uDE80";
    assertThat(split("x".repeat(LineSplitter.MOST_CHARS - 1) + rocket + "y"))
        .containsExactly("CUT:" + "x".repeat(LineSplitter.MOST_CHARS - 1) + rocket, "LINE:y");
  }
}
