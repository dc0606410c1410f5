package io.deepvm.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures how plain the English of pages and Javadoc is: words per sentence, and words that are
 * avoided. Needs the JDK only, so that {@code bench/plain-english} can start the source file.
 */
final class PlainEnglish {

  /** The longest sentence that a reader takes in at once, in words. */
  static final int LONGEST = 25;

  /** Words that make a reader translate; the second column of the list says what to write. */
  private static final Pattern AVOIDED =
      Pattern.compile(
          "\\b(who(?:m)?ever|so (?:many|much|long)\\b(?! that)|so long as|as long again|now and then"
              + "|tells?|told|telling|hears?|heard|hearing)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern LINK = Pattern.compile("!?\\[([^\\]]*)\\]\\([^)]*\\)");
  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern JAVADOC = Pattern.compile("(?s)/\\*\\*(.*?)\\*/");
  private static final Pattern INLINE_TAG = Pattern.compile("\\{@[^{}]*\\}");

  /** Comments and string literals, in the order in which they stand; other code is left out. */
  private static final Pattern PROSE =
      Pattern.compile(
          "(?s)/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\\n])+'");

  private static final Pattern END =
      Pattern.compile("(?<=[.!?])[\"')]*\\s+(?=[\"'(]?[A-Z0-9`\\[])");

  /** One sentence, or one word that is avoided, at the line of its paragraph. */
  record Finding(Path file, int line, String text) {

    @Override
    public String toString() {
      return file + ":" + line + ": " + text;
    }
  }

  /** The sentences of some files: their number, and those that are too long. */
  record Sentences(int count, List<Finding> tooLong) {

    /** Returns the share of sentences that are short enough, 1 where there is none. */
    double shortShare() {
      return count == 0 ? 1 : 1 - (double) tooLong.size() / count;
    }
  }

  private PlainEnglish() {}

  /**
   * Prints the figures of a project. The first argument is its folder; {@code --list} prints the
   * findings, too; further arguments keep only files whose path contains one of them.
   */
  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    List<String> rest = new ArrayList<>(Arrays.asList(args).subList(1, args.length));
    boolean list = rest.remove("--list");
    List<Path> pages = kept(pages(root), rest);
    List<Path> sources = kept(mainSources(root), rest);
    print("pages", sentencesOfPages(pages), list);
    print("Javadoc", sentencesOfJavadoc(sources), list);
    printWords("pages", wordsOfPages(pages), list);
    printWords("main code", wordsOfSources(sources), list);
  }

  /** Returns README and the other pages of the project, without the licence's. */
  static List<Path> pages(Path root) throws IOException {
    List<Path> pages = new ArrayList<>();
    try (Stream<Path> files = Files.list(root)) {
      files.filter(PlainEnglish::isPage).forEach(pages::add);
    }
    for (String folder : List.of("docs", "examples")) {
      try (Stream<Path> files = Files.walk(root.resolve(folder))) {
        files.filter(PlainEnglish::isPage).forEach(pages::add);
      }
    }
    return pages.stream().sorted().toList();
  }

  /** Returns the Java sources of all modules, without tests and benchmarks. */
  static List<Path> mainSources(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(root)) {
      for (Path module : modules.sorted().toList()) {
        Path main = module.resolve("src/main/java");
        if (Files.isDirectory(main) && !module.endsWith("bench")) {
          try (Stream<Path> files = Files.walk(main)) {
            files.filter(f -> f.toString().endsWith(".java")).sorted().forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }

  static Sentences sentencesOfPages(List<Path> pages) throws IOException {
    List<Finding> paragraphs = new ArrayList<>();
    for (Path page : pages) {
      paragraphs.addAll(paragraphs(page, blankedFences(Files.readString(page)), 0));
    }
    return sentences(paragraphs);
  }

  static Sentences sentencesOfJavadoc(List<Path> sources) throws IOException {
    List<Finding> paragraphs = new ArrayList<>();
    for (Path source : sources) {
      String text = Files.readString(source);
      Matcher comment = JAVADOC.matcher(text);
      while (comment.find()) {
        int line = lineOf(text, comment.start());
        paragraphs.addAll(paragraphs(source, ofJavadoc(comment.group(1)), line - 1));
      }
    }
    return sentences(paragraphs);
  }

  static List<Finding> wordsOfPages(List<Path> pages) throws IOException {
    List<Finding> found = new ArrayList<>();
    for (Path page : pages) {
      String text = blankedFences(Files.readString(page));
      addWords(page, CODE.matcher(text).replaceAll("code"), 0, found);
    }
    return found;
  }

  /** Returns the avoided words in comments and texts of sources. */
  static List<Finding> wordsOfSources(List<Path> sources) throws IOException {
    List<Finding> found = new ArrayList<>();
    for (Path source : sources) {
      String text = Files.readString(source);
      Matcher prose = PROSE.matcher(text);
      while (prose.find()) {
        String plain = INLINE_TAG.matcher(prose.group()).replaceAll("code");
        addWords(source, plain, lineOf(text, prose.start()) - 1, found);
      }
    }
    return found;
  }

  /** Returns the words of a page outside of its code blocks. */
  static int words(Path page) throws IOException {
    return countWords(blankedFences(Files.readString(page)));
  }

  private static boolean isPage(Path file) {
    return file.toString().endsWith(".md");
  }

  private static List<Path> kept(List<Path> files, List<String> parts) {
    return files.stream()
        .filter(f -> parts.isEmpty() || parts.stream().anyMatch(f.toString()::contains))
        .toList();
  }

  private static void print(String what, Sentences sentences, boolean list) {
    System.out.printf(
        Locale.ROOT,
        "%s: %d sentences, %.1f %% of at most %d words%n",
        what,
        sentences.count(),
        100 * sentences.shortShare(),
        LONGEST);
    if (list) {
      sentences.tooLong().forEach(System.out::println);
    }
  }

  private static void printWords(String what, List<Finding> words, boolean list) {
    System.out.printf("%s: %d words that are avoided%n", what, words.size());
    if (list) {
      words.forEach(System.out::println);
    }
  }

  /** Returns a page with blank lines in place of code, so that findings have the right line. */
  private static String blankedFences(String text) {
    StringBuilder prose = new StringBuilder();
    boolean fenced = false;
    boolean indented = false;
    boolean afterBlank = true;
    for (String line : text.lines().toList()) {
      boolean fence = line.strip().startsWith("```");
      indented = line.startsWith("    ") && (indented || afterBlank);
      prose.append(fence || fenced || indented ? "" : line).append('\n');
      fenced ^= fence;
      afterBlank = line.isBlank();
    }
    return prose.toString();
  }

  private static String ofJavadoc(String comment) {
    String text =
        comment
            .lines()
            .map(l -> l.strip().replaceFirst("^\\* ?", ""))
            .collect(Collectors.joining("\n"));
    text = INLINE_TAG.matcher(text).replaceAll("code");
    text =
        text.replaceAll("(?s)<pre>.*?</pre>", "").replaceAll("</?(p|li|ul|ol|table|tr|td)>", " | ");
    return text.replaceAll("(?m)^@param \\S+|^@(?:return|throws \\S+)", "\n\n");
  }

  /** Returns the paragraphs, list items and table cells of a text. */
  private static List<Finding> paragraphs(Path file, String text, int linesBefore) {
    List<Finding> paragraphs = new ArrayList<>();
    StringBuilder paragraph = new StringBuilder();
    int start = 0;
    List<String> lines = text.lines().toList();
    for (int i = 0; i <= lines.size(); i++) {
      String line = i < lines.size() ? lines.get(i).strip() : "";
      boolean breaks =
          line.isEmpty() || line.matches("(?s)([-*#>|]|\\d+\\.).*") || line.contains(" | ");
      if (breaks && !paragraph.isEmpty()) {
        for (String cell : paragraph.toString().split("\\|", -1)) {
          paragraphs.add(new Finding(file, linesBefore + start + 1, cell.strip()));
        }
        paragraph.setLength(0);
      }
      if (!line.isEmpty()) {
        start = paragraph.isEmpty() ? i : start;
        paragraph.append(line.replaceFirst("^([-*#>]+|\\d+\\.) ", "")).append(' ');
      }
    }
    return paragraphs;
  }

  private static Sentences sentences(List<Finding> paragraphs) {
    int count = 0;
    List<Finding> tooLong = new ArrayList<>();
    for (Finding paragraph : paragraphs) {
      String text = LINK.matcher(paragraph.text()).replaceAll("$1");
      text = CODE.matcher(text).replaceAll("`x`");
      for (String sentence : END.split(text, -1)) {
        int words = countWords(sentence);
        count += words >= 3 ? 1 : 0;
        if (words > LONGEST) {
          tooLong.add(
              new Finding(
                  paragraph.file(), paragraph.line(), "[" + words + "] " + sentence.strip()));
        }
      }
    }
    return new Sentences(count, tooLong);
  }

  private static int countWords(String text) {
    return (int)
        Arrays.stream(text.split("\\s+", -1)).filter(w -> w.matches(".*[\\p{L}\\p{N}`].*")).count();
  }

  private static void addWords(Path file, String text, int linesBefore, List<Finding> found) {
    Matcher word = AVOIDED.matcher(text);
    while (word.find()) {
      int from = Math.max(0, word.start() - 30);
      int to = Math.min(text.length(), word.end() + 30);
      String around = text.substring(from, to).replaceAll("\\s*\n[\\s*/]*", " ");
      found.add(new Finding(file, linesBefore + lineOf(text, word.start()), around));
    }
  }

  private static int lineOf(String text, int position) {
    return 1 + (int) text.substring(0, position).chars().filter(c -> c == '\n').count();
  }
}
