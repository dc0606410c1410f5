package io.deepvm.cli.simulate;

import io.deepvm.base.BadInput;
import io.deepvm.cli.options.GivenPath;
import io.deepvm.simulator.RunRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** Splits a simulation over machines, and puts the parts together. */
final class PartOptions {

  /** Options that change how results are made or shown, not the results. */
  private static final Set<String> OF_SHOW =
      Set.of("--part", "--out", "--merge", "--threads", "--output", "--chart", "--timeline");

  @Option(
      names = "--part",
      paramLabel = "I/N",
      description = "Simulate one of N parts of the runs alone, into the file of --out.")
  @Nullable String part;

  @Option(
      names = "--out",
      converter = GivenPath.Target.class,
      paramLabel = "FILE",
      description = "Where the outcomes of --part go.")
  @Nullable Path out;

  @Option(
      names = "--merge",
      converter = GivenPath.Source.class,
      arity = "1..*",
      paramLabel = "FILE",
      description = {
        "Put the files of all parts together instead of simulating. With the options that the",
        "parts had, the answer is that of one machine, to the byte."
      })
  List<Path> merge = new ArrayList<>();

  /** Refuses what makes no sense together. */
  void check() {
    if ((part == null) != (out == null)) {
      throw new BadInput(
          "--part and --out belong together.", "Maybe write --part 1/4 --out part1.bin.");
    }
    if (part != null && !merge.isEmpty()) {
      throw new BadInput("--part and --merge exclude each other.", "Maybe leave one of them out.");
    }
  }

  /** Whether the runs are split. */
  boolean used() {
    return part != null || !merge.isEmpty();
  }

  /** Returns the runs of the part; null if none was asked for. */
  @Nullable RunRange range(int runs) {
    String text = part;
    if (text == null) {
      return null;
    }
    if (!text.matches("[0-9]{1,6}/[0-9]{1,6}")) {
      throw new BadInput(
          "'%s' is no part such as 3/16.".formatted(text), "Maybe write --part 1/4.");
    }
    String[] words = text.split("/", -1);
    return RunRange.part(Integer.parseInt(words[0]), Integer.parseInt(words[1]), runs);
  }

  /** Returns the options that change results, and sums of the files that they name. */
  static String setting(CommandSpec command) {
    Set<String> all = new TreeSet<>();
    for (OptionSpec option : command.commandLine().getParseResult().matchedOptions()) {
      if (!OF_SHOW.contains(option.longestName())) {
        String given = String.join(",", option.originalStringValues());
        all.add(option.longestName() + "=" + given + sums(option.originalStringValues()));
      }
    }
    return String.join(" ", all);
  }

  private static String sums(List<String> values) {
    StringBuilder text = new StringBuilder();
    for (String value : values) {
      try {
        if (Files.isRegularFile(Path.of(value))) {
          byte[] digest =
              MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(Path.of(value)));
          text.append('#').append(HexFormat.of().formatHex(digest), 0, 16);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (NoSuchAlgorithmException | java.nio.file.InvalidPathException e) {
        // It names no file.
      }
    }
    return text.toString();
  }
}
