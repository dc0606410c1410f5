package io.deepvm.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.deepvm.base.Watchdog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keeps the doors between the modules where they are. */
class HouseRulesTest {

  /** A module may use those before it, never those after. */
  private static final List<String> MODULES =
      List.of(
          "base",
          "catalog",
          "workload",
          "planner",
          "handover",
          "market",
          "transport",
          "checkpoint",
          "simulator",
          "places",
          "cluster",
          "trainer",
          "studies",
          "page",
          "cli");

  private static final JavaClasses CLASSES = ours();

  private static JavaClasses ours() {
    // The rules ask for the names of libraries' classes only, not for what is in them.
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    return new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages("io.deepvm");
  }

  @Test
  void everyModuleIsLookedAt() {
    for (String module : MODULES) {
      assertThat(CLASSES.that(resideInAPackage("io.deepvm." + module + ".."))).isNotEmpty();
    }
  }

  @Test
  void aModuleUsesOnlyThoseAboveIt() {
    for (int i = 0; i < MODULES.size() - 1; i++) {
      String[] below =
          MODULES.subList(i + 1, MODULES.size()).stream()
              .map(m -> "io.deepvm." + m + "..")
              .toArray(String[]::new);
      noClasses()
          .that()
          .resideInAPackage("io.deepvm." + MODULES.get(i) + "..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(below)
          .check(CLASSES);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "com.google.ortools.., planner",
    "picocli.., cli",
    "org.jfree.., cli.chart",
    "org.hipparchus.., workload planner market",
    "software.amazon.awssdk.., checkpoint.s3 places.aws",
    "io.micrometer.., checkpoint.metrics",
    "ai.djl.., trainer.model",
  })
  void aHeavyLibraryLivesInTheRoomsThatNeedIt(String library, String rooms) {
    noClasses()
        .that()
        .resideOutsideOfPackages(
            Arrays.stream(rooms.split(" "))
                .map(room -> "io.deepvm." + room + "..")
                .toArray(String[]::new))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library)
        .check(CLASSES);
  }

  @Test
  void packagesOfOneModuleDoNotKnowEachOtherInCircles() {
    // A module's root package may list the packages below it, as a registry of formats does.
    slices().matching("io.deepvm.(*).(*)..").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void onlyAWatchdogIsLookedAfterAgainAndAgain() {
    // A timer silently gives up any other task that throws.
    noClasses()
        .that()
        .doNotHaveFullyQualifiedName(Watchdog.class.getName())
        .should()
        .callMethodWhere(
            JavaCall.Predicates.target(
                HasName.Predicates.nameMatching("scheduleWithFixedDelay|scheduleAtFixedRate")))
        .check(CLASSES);
  }

  @Test
  void aClassOfARunFitsIntoThreeHundredLines() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("../cluster/src/main/java"))) {
      List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
      assertThat(sources).hasSizeGreaterThan(100);
      for (Path source : sources) {
        assertThat(Files.readAllLines(source)).as(source.toString()).hasSizeLessThanOrEqualTo(300);
      }
    }
  }

  @Test
  void namesSayWhatAClassIs() {
    classes()
        .should()
        .haveNameNotMatching(".*(Impl|Util|Utils|Manager|Helper|Base)")
        .check(CLASSES);
  }

  @Test
  void aRunReadsTheClockInItsOutermostRoomsOnly() {
    noClasses()
        .that()
        .resideInAPackage("io.deepvm.cluster..")
        .and()
        .resideOutsideOfPackages("io.deepvm.cluster.shell..", "io.deepvm.cluster.agent..")
        .should()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .check(CLASSES);
  }
}
