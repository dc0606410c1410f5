package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Links lead somewhere, pages are short, sentences are plain, and common questions are answered.
 */
class DocsTest {

  private static final Path ROOT = Path.of(System.getProperty("deepvm.root", "..")).normalize();
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final int LONGEST_PAGE = 1500;
  private static final int LONGEST_README = 900;
  private static final double SHORT_SENTENCES = 0.95;
  private static final Set<String> SHELVES =
      Set.of("tutorial", "how-to", "reference", "explanation", "decisions", "pictures");

  @Test
  void everyLinkLeadsToAFileAndEveryAnchorToAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    Map<Path, Set<String>> anchors = new HashMap<>();
    for (Path page : linkingPages()) {
      Matcher link = LINK.matcher(withoutCode(Files.readString(page)));
      while (link.find()) {
        if (link.group(1).matches("[a-z]+:.*")) {
          continue;
        }
        String[] parts = link.group(1).split("#", 2);
        Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
          broken.add(page + ": " + link.group(1));
        } else if (parts.length == 2 && target.toString().endsWith(".md")) {
          if (!anchors.containsKey(target)) {
            anchors.put(target, anchorsOf(Files.readString(target)));
          }
          if (!anchors.get(target).contains(parts[1])) {
            broken.add(page + ": " + link.group(1));
          }
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void noPageIsTooLong() throws IOException {
    List<String> tooLong = new ArrayList<>();
    for (Path page : PlainEnglish.pages(ROOT)) {
      int limit = page.equals(ROOT.resolve("README.md")) ? LONGEST_README : LONGEST_PAGE;
      int words = PlainEnglish.words(page);
      if (words > limit) {
        tooLong.add("%s has %d words, at most %d".formatted(page, words, limit));
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void everyPageStandsOnAShelf() throws IOException {
    try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
      assertThat(files.map(file -> file.getFileName().toString())).allMatch(SHELVES::contains);
    }
  }

  @Test
  void nearlyAllSentencesOfPagesAreShort() throws IOException {
    PlainEnglish.Sentences sentences = PlainEnglish.sentencesOfPages(PlainEnglish.pages(ROOT));
    assertThat(sentences.count()).isGreaterThan(1000);
    assertThat(sentences.shortShare())
        .as("bench/plain-english --list prints the long ones")
        .isGreaterThanOrEqualTo(SHORT_SENTENCES);
  }

  @Test
  void nearlyAllSentencesOfJavadocAreShort() throws IOException {
    PlainEnglish.Sentences sentences =
        PlainEnglish.sentencesOfJavadoc(PlainEnglish.mainSources(ROOT));
    assertThat(sentences.count()).isGreaterThan(1000);
    assertThat(sentences.shortShare())
        .as("bench/plain-english --list prints the long ones")
        .isGreaterThanOrEqualTo(SHORT_SENTENCES);
  }

  @Test
  void pagesAvoidTheWordsThatAReaderHasToTranslate() throws IOException {
    assertThat(PlainEnglish.wordsOfPages(PlainEnglish.pages(ROOT))).isEmpty();
  }

  @Test
  void commentsAndMessagesAvoidTheWordsThatAReaderHasToTranslate() throws IOException {
    assertThat(PlainEnglish.wordsOfSources(PlainEnglish.mainSources(ROOT))).isEmpty();
  }

  /** The page has a heading or table row with the words, and it links straight to the class. */
  @ParameterizedTest
  @CsvSource({
    "ARCHITECTURE.md, Where is the rule by which a node is taken?, SpotRules.java",
    "CONTRIBUTING.md, How do I add a policy?, Policies.java",
    "ARCHITECTURE.md, What happens when an anchor dies?, SpreadTier.java",
    "ARCHITECTURE.md, Which file decides the checkpoint interval?, SaveInterval.java",
  })
  void aFreshReadersQuestionIsAnsweredWithALinkToTheClass(String page, String question, String file)
      throws IOException {
    String readme = Files.readString(ROOT.resolve("README.md"));
    assertThat(readme).contains("](" + page + ")");
    List<String> answers =
        Files.readAllLines(ROOT.resolve(page)).stream()
            .filter(line -> line.contains(question))
            .toList();
    assertThat(answers).as("%s in %s", question, page).hasSize(1);
    assertThat(answers.get(0)).contains("/" + file + ")");
  }

  private static List<Path> linkingPages() throws IOException {
    List<Path> pages = new ArrayList<>(PlainEnglish.pages(ROOT));
    pages.add(ROOT.resolve("bench/RESULTS.md"));
    return pages;
  }

  private static String withoutCode(String text) {
    return text.replaceAll("(?ms)^\\s*```.*?^\\s*```\\s*$", "").replaceAll("`[^`\n]*`", "`code`");
  }

  /** Returns the anchors that GitHub makes of the headings. */
  private static Set<String> anchorsOf(String text) {
    Set<String> anchors = new HashSet<>();
    Matcher heading = HEADING.matcher(text.replaceAll("(?ms)^\\s*```.*?^\\s*```\\s*$", ""));
    while (heading.find()) {
      String plain = heading.group(1).replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
      String anchor =
          plain.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
      String unique = anchor;
      for (int i = 1; !anchors.add(unique); i++) {
        unique = anchor + "-" + i;
      }
    }
    return anchors;
  }
}
