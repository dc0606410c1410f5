package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A config file gives options their defaults. */
class ConfigFileTest {

  @TempDir Path folder;

  @Test
  void defaultsComeFromTheFileAndAreAnnounced() throws IOException {
    Screen screen =
        with("plan: {catalog: paper, max-price-per-hour: 3, top: 1, mix: false}", "plan");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
    assertThat(screen.err())
        .isEqualTo(
            "Defaults from %s: --max-price-per-hour 3, --mix false, --top 1, --catalog paper%n"
                .formatted(folder.resolve("deepvm.yaml")));
    assertThat(screen.out())
        .isEqualTo(run("plan --catalog paper --max-price-per-hour 3 --top 1").out());
  }

  @Test
  void theCommandLineComesFirst() throws IOException {
    Screen screen =
        with(
            "plan: {catalog: paper, max-price-per-hour: 3}",
            "plan --max-price-per-hour 5 --catalog paper");
    assertThat(screen.err()).isEmpty();
    assertThat(screen.out()).isEqualTo(run("plan --catalog paper --max-price-per-hour 5").out());
  }

  @Test
  void aRepeatableOptionMayHaveSeveralValuesAndTheCommandLineReplacesThemAll() throws IOException {
    String config = "catalog: {list: {place: [aws/us-east-1, lambda], gpu: A100, limit: 0}}";
    String both =
        run("catalog list --place aws/us-east-1 --place lambda --gpu A100 --limit 0").out();
    Screen screen = with(config, "catalog list");
    assertThat(screen.out()).isEqualTo(both);
    assertThat(screen.err()).contains("--place aws/us-east-1 lambda");
    assertThat(with(config, "catalog list --place lambda").out())
        .isEqualTo(run("catalog list --place lambda --gpu A100 --limit 0").out());
  }

  @Test
  void aRequiredOptionMayComeFromTheFile() throws IOException {
    Screen screen =
        with("checkpoint: {ls: {store: %s}}".formatted(folder), "checkpoint ls --output csv");
    assertThat(screen.exitCode()).as(screen.err()).isEqualTo(Exit.DONE);
  }

  @Test
  void defaultsThatMeanNothingForAQuestionAreNoError() throws IOException {
    assertThat(with("plan: {runs: 10}", "plan --catalog paper --max-price-per-hour 3").exitCode())
        .isEqualTo(Exit.DONE);
  }

  @Test
  void helpShowsTheDefaultOfTheFile() throws IOException {
    assertThat(with("plan: {top: 7}", "plan --help").out())
        .containsPattern("How many plans to show \\(default: 7\\)");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          plaan: {top: 1}           | has the unknown key 'plaan'         | Maybe you meant 'plan'.
          plan: {tops: 1}           | has the unknown key 'plan.tops'     | Maybe you meant 'top'.
          catalog: {lst: {top: 1}}  | has the unknown key 'catalog.lst'   | Maybe you meant 'list'.
          plan: 3                   | has no keys in plan                 | Maybe write key: value
          plan: {top: [1, 2]}       | has plan.top: [1,2]                 | Maybe write one value
          plan: {top: }             | has plan.top: null                  | Maybe write one value
          plan: {help: true}        | has the unknown key 'plan.help'     | Maybe
          plan: {top: many}         | , --top: 'many' is not a whole      | Maybe write it like 3.
          plan: {top: 1             | is not valid YAML at line           | Maybe a colon
          """)
  void aWrongFileIsRefusedByNameAndKey(String config, String message, String wayOut)
      throws IOException {
    Screen screen = with(config, "plan --catalog paper --max-price-per-hour 3");
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.out()).isEmpty();
    assertThat(screen.err()).contains("deepvm.yaml", message, wayOut);
  }

  @Test
  void theFolderComesBeforeTheUser() throws IOException {
    Path home = Files.createDirectories(folder.resolve("home/.config/deepvm"));
    Path xdg = Files.createDirectories(folder.resolve("xdg/deepvm"));
    Path here = Files.createDirectories(folder.resolve("here"));
    Map<String, String> ofHome = Map.of("HOME", folder.resolve("home").toString());
    Map<String, String> ofXdg =
        Map.of(
            "HOME",
            folder.resolve("home").toString(),
            "XDG_CONFIG_HOME",
            folder.resolve("xdg").toString());
    assertThat(ConfigFile.find(here, ofXdg)).isNull();
    Path users = Files.createFile(home.resolve("deepvm.yaml"));
    assertThat(ConfigFile.find(here, ofHome)).isEqualTo(users);
    assertThat(ConfigFile.find(here, ofXdg)).isNull();
    Path own = Files.createFile(xdg.resolve("deepvm.yaml"));
    assertThat(ConfigFile.find(here, ofXdg)).isEqualTo(own);
    Path near = Files.createFile(here.resolve("deepvm.yaml"));
    assertThat(ConfigFile.find(here, ofXdg)).isEqualTo(near);
  }

  @Test
  void anEmptyFileGivesNoDefaults() throws IOException {
    Screen screen = with("# nothing yet", "plan --catalog paper --max-price-per-hour 3");
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    assertThat(screen.err()).isEmpty();
  }

  private Screen with(String config, String line) throws IOException {
    Path file = Files.writeString(folder.resolve("deepvm.yaml"), config);
    return Screen.with(file, line.split(" "));
  }

  private static Screen run(String line) {
    return Screen.run(line.split(" "));
  }
}
