package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Former names of options work on, unseen. */
class FormerNamesTest {

  private static final String LINES =
      """
      simulate           | --market | --trace
      run --plan p       | --replay | --trace
      run --plan p       | --job    | --training-job
      profile            | --job    | --training-job
      plan               | --market | --trace
      checkpoint agent   | --job    | --name
      checkpoint ls      | --job    | --name
      checkpoint verify  | --job    | --name
      checkpoint restore | --job    | --name
      checkpoint gc      | --job    | --name
      """;

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(delimiter = '|', textBlock = LINES)
  void aFormerNameMeansThePresentOne(String command, String then, String now) {
    for (String given : List.of(then + " pom.xml", then + "=pom.xml", now + " pom.xml")) {
      assertThat(value(command + " " + given, now)).as(given).isEqualTo("pom.xml");
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(delimiter = '|', textBlock = LINES)
  void bothNamesAtOnceAreRefused(String command, String then, String now) {
    Screen screen = run("%s %s a.csv %s b.csv".formatted(command, then, now));
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err().lines())
        .containsExactly(
            "%s is the former name of %s, and both are given.".formatted(then, now),
            "Maybe leave %s out.".formatted(then));
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(delimiter = '|', textBlock = LINES)
  void helpShowsThePresentNameOnly(String command, String then, String now) {
    String help = run(command + " --help").out();
    assertThat(help).contains(" " + now + "=");
    if (!command.equals("plan")) {
      assertThat(help).doesNotContain(" " + then + "=");
    }
  }

  @Test
  void anOptionOfTheUsersCommandKeepsItsName() {
    CommandLine.ParseResult run =
        parse("run --plan pom.xml --job pom.xml -- python3 train.py --job mine");
    assertThat(run.matchedPositionalValue(0, List.<String>of()))
        .containsExactly("python3", "train.py", "--job", "mine");
  }

  @Test
  void aMisspeltMarketOfAPlanIsNoTrace() {
    assertThat(run("plan --max-price-per-hour 3 --market sopt").err()).doesNotContain("--trace");
  }

  private static String value(String line, String option) {
    // the last command of the line has it
    return String.valueOf(
        parse(line.replace("plan p", "plan pom.xml"))
            .matchedOption(option)
            .originalStringValues()
            .get(0));
  }

  private static CommandLine.ParseResult parse(String line) {
    CommandLine all = Main.commandLine(Screen.terminal());
    // required options are not of interest here
    all.getSubcommands().values().forEach(FormerNamesTest::lenient);
    CommandLine.ParseResult parsed = all.parseArgs(line.split(" "));
    while (parsed.hasSubcommand()) {
      parsed = parsed.subcommand();
    }
    return parsed;
  }

  private static void lenient(CommandLine command) {
    command.getCommandSpec().parser().collectErrors(true);
    command.getSubcommands().values().forEach(FormerNamesTest::lenient);
  }

  private static Screen run(String line) {
    return Screen.run(Arrays.stream(line.split(" ")).toArray(String[]::new));
  }
}
