package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlainTextTest {

  /**
   * Each case is written with \e for escape, \a for bell, \b for backspace and \x9b for C1's CSI.
   */
  @ParameterizedTest
  @CsvSource({
    "plain äöü 漢字 text, plain äöü 漢字 text",
    "a\\tb, a\\tb",
    "\\e[31mred\\e[0m, red",
    "\\e[2J\\e[H\\e[1;1fwiped, wiped",
    "up\\e[3A\\e[K, up",
    "\\x9b2Jwiped, wiped",
    "\\e]0;title\\abody, body",
    "\\e]8;;http://a\\e\\\\link, link",
    "\\e7\\e(Bsaved, saved",
    "ring\\a, ring^G",
    "back\\b\\b, back^H^H",
    "cut off\\e[, cut off",
  })
  void textKeepsItsWordsAndLosesWhatMovesTheCursor(String text, String plain) {
    assertThat(PlainText.of(written(text))).isEqualTo(written(plain));
  }

  @Test
  void textThatWouldRunTheOtherWayShowsWhereItWould() {
    assertThat(PlainText.of("g4dn\u202egnp.exe\u2066")).isEqualTo("g4dn\uFFFDgnp.exe\uFFFD");
  }

  @Test
  void theLineEndsOfSeveralLinesStay() {
    assertThat(PlainText.ofLines("one\ntwo\rthree\n")).isEqualTo("one\ntwo^Mthree\n");
    assertThat(PlainText.of("one\ntwo")).isEqualTo("one^Jtwo");
  }

  private static String written(String text) {
    return text.replace("\\\\", "\u0000")
        .replace("\\e", "\u001b")
        .replace("\\a", "\u0007")
        .replace("\\b", "\b")
        .replace("\\t", "\t")
        .replace("\\x9b", "\u009b")
        .replace("\u0000", "\\");
  }
}
