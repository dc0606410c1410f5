package io.deepvm.workload.averaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import io.deepvm.base.Money;
import io.deepvm.workload.fit.Estimate;
import io.deepvm.workload.fit.Parameter;
import io.deepvm.workload.fit.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AveragingFitTest {

  private static final String HEADER = String.join(",", RunFile.COLUMNS) + "\n";

  private static final Coefficients TRUTH =
      Coefficients.STUDY.withFitted(0.02, 0.5, 0.2, 1.4, 0.9, 1.2, 4);

  /** Two groups each: inside a region, over a large cloud's network, over the internet. */
  private static final List<String> EVERYWHERE =
      List.of(
          "gcp/us-central1 gcp/us-central1",
          "gcp/us-central1 gcp/europe-west1",
          "gcp/us-central1 on-premise/europe");

  @TempDir Path folder;

  @Test
  void findsAgainTheCoefficientsThatMadeTheRuns() throws IOException {
    FittedCoefficients fit =
        AveragingFit.explain(runs(EVERYWHERE, List.of(8, 32)), Coefficients.STUDY);
    double[] truth = TRUTH.fitted();
    for (int i = 0; i < truth.length; i++) {
      Parameter found = fit.parameters().get(i);
      assertThat(found.value()).as(found.name()).isCloseTo(truth[i], within(0.03 * truth[i]));
      assertThat(found.standardError()).as(found.name()).isBetween(1e-9, 0.1 * truth[i]);
    }
    assertThat(fit.coefficients())
        .isEqualTo(AveragingFit.fit(runs(EVERYWHERE, List.of(8, 32)), Coefficients.STUDY));
    assertThat(fit.errors().worst()).isLessThan(0.01);
    assertThat(fit.ranges())
        .containsExactly(new Range("peers", 2, 8), new Range("parameters", 12e6, 560e6));
    assertThat(fit.warnings()).noneMatch(warning -> warning.startsWith("The runs"));
  }

  @Test
  void saysOfWhatTheRunsTellNothingOrLittle() throws IOException {
    FittedCoefficients fit =
        AveragingFit.explain(runs(EVERYWHERE.subList(0, 1), List.of(8)), Coefficients.STUDY);
    assertThat(fit.parameters())
        .filteredOn(each -> Double.isInfinite(each.standardError()))
        .extracting(Parameter::name)
        .containsExactly("backbone", "internet");
    assertThat(fit.coefficients().internet())
        .isCloseTo(Coefficients.STUDY.internet(), within(1e-6));
    // Without a large host only the products with smallHost are decided.
    assertThat(fit.warnings())
        .hasSize(2)
        .anyMatch(each -> each.startsWith("The runs show nothing of backbone, internet:"))
        .anyMatch(each -> each.startsWith("The runs hardly show") && each.contains("smallHost ("));
    assertThat(fit.errors().worst()).isLessThan(0.01);
  }

  @Test
  void smallHostsAreNeverFittedAsFasterThanLargeOnes() throws IOException {
    List<Observation> swapped =
        runs(EVERYWHERE, List.of(8, 32)).stream().map(AveragingFitTest::hostsSwapped).toList();
    FittedCoefficients fit = AveragingFit.explain(swapped, Coefficients.STUDY);
    assertThat(fit.coefficients().smallHost()).isEqualTo(1);
    assertThat(fit.warnings()).anyMatch(each -> each.endsWith("smallHost is held at 1."));
    // What is held is not uncertain; the scatter of runs that contradict it is.
    Estimate estimate = fit.predict(swapped.get(0));
    assertThat(estimate.high() / estimate.low()).isLessThan(Math.exp(5 * fit.scatter()));
  }

  @Test
  void ninetyFiveOfAHundredNewRunsLieInTheirIntervals() throws IOException {
    List<Observation> truth = runs(EVERYWHERE, List.of(8, 32));
    double fitted = 0;
    double fresh = 0;
    int times = 20;
    for (int seed = 0; seed < times; seed++) {
      Random random = new Random(seed);
      List<Observation> measured = truth.stream().map(run -> noisy(run, random)).toList();
      FittedCoefficients fit = AveragingFit.explain(measured, Coefficients.STUDY);
      assertThat(fit.scatter()).isBetween(0.02, 0.04);
      fitted += fit.coverage(measured) / times;
      fresh += fit.coverage(truth.stream().map(run -> noisy(run, random)).toList()) / times;
    }
    assertThat(fresh).isBetween(0.93, 0.97);
    assertThat(fitted).isBetween(0.94, 0.98);
  }

  private static Observation noisy(Observation run, Random random) {
    return measuredAs(run, run.samplesPerSecond() * Math.exp(0.03 * random.nextGaussian()));
  }

  private static Observation measuredAs(Observation run, double speed) {
    return new Observation(
        run.model(), run.groups(), run.network(), run.protocol(), run.targetBatch(), speed);
  }

  @Test
  void anIntervalIsWideWhereTheRunsToldNothing() throws IOException {
    List<Observation> all = runs(EVERYWHERE, List.of(8));
    List<Observation> oneRegion =
        all.stream()
            .filter(run -> run.groups().get(1).peer().place().region().contains("us-"))
            .toList();
    assertThat(oneRegion).hasSize(all.size() / 3);
    FittedCoefficients fit = AveragingFit.explain(oneRegion, Coefficients.STUDY);
    Estimate known = fit.predict(oneRegion.get(0));
    assertThat(known.high() / known.low()).isBetween(1.0, 1.05);
    assertThat(known.value()).isBetween(known.low(), known.high());
    assertThat(known.extrapolated()).isFalse();
    Estimate overTheInternet = fit.predict(all.get(all.size() - 1));
    assertThat(overTheInternet.high() / overTheInternet.low()).isGreaterThan(4);
  }

  private static Observation hostsSwapped(Observation run) {
    List<PeerGroup> groups =
        run.groups().stream()
            .map(
                group -> {
                  Peer peer = group.peer();
                  HostClass other =
                      peer.host() == HostClass.SMALL ? HostClass.LARGE : HostClass.SMALL;
                  return new PeerGroup(
                      new Peer("peer", peer.place(), 150, other, Money.ZERO, null), group.count());
                })
            .toList();
    return new Observation(
        run.model(),
        groups,
        run.network(),
        run.protocol(),
        run.targetBatch(),
        run.samplesPerSecond());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "1,1e6,10,1024,gcp/us-central1,2,10,8,15 | 1 runs cannot decide 7 coefficients",
        "1,1e6,10,1024,gcp/us-central1,1,10,8,15 | single peer in run '1'",
        "1,1e6,10,1024,gcp/us-central1,2,fast,8,15 | 'fast' in column 'samples_per_second' of line 2",
        "1,1e6,10,1024,gcp/us-central1,2,10,8, | '' in column 'measured_samples_per_second' of line 2",
        "1,1e6,10,1024,gcp/us-central1,2,10,8,-1 | not a positive number",
        "1,1e6,10,1024,gcp/us-central1,2,10,8,Infinity | not a positive number",
        "1,1e6,10.5,1024,gcp/us-central1,2,10,8,15 | not a whole number",
        "1,1e6,10,1024,gcp,2,10,8,15 | 'gcp' in column 'place' of line 2, which is not one place",
        ",1e6,10,1024,gcp/us-central1,2,10,8,15 | no name of a run in line 2",
      })
  void refusesRunsThatAreWrong(String row, String message) {
    assertThatThrownBy(() -> fit(HEADER + row + "\n"))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining(message);
  }

  @Test
  void refusesFilesThatAreWrong() {
    String row = "1,1e6,10,1024,gcp/us-central1,2,10,8,15\n";
    assertThatThrownBy(() -> fit(HEADER)).hasMessageContaining("are none");
    assertThatThrownBy(() -> fit(HEADER + row + row.replace(",15", ",16")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("line 3");
    assertThatThrownBy(() -> fit(HEADER.replace("place", "plaec") + row))
        .isInstanceOfSatisfying(
            BadInput.class,
            bad -> {
              assertThat(bad).hasMessageContaining("no column 'place'");
              assertThat(bad.wayOut()).isEqualTo("Maybe you meant 'plaec'.");
            });
    assertThatThrownBy(() -> RunFile.read(folder.resolve("none.csv")))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("cannot be read");
  }

  private FittedCoefficients fit(String csv) throws IOException {
    return AveragingFit.explain(read(csv), Coefficients.STUDY);
  }

  private List<Observation> read(String csv) throws IOException {
    return RunFile.read(Files.writeString(folder.resolve("runs.csv"), csv));
  }

  /** Runs of three models in these places on hosts with so many cores, as the truth has them. */
  private List<Observation> runs(List<String> places, List<Integer> vcpus) throws IOException {
    StringBuilder csv = new StringBuilder(HEADER);
    int run = 0;
    for (String model : List.of("12e6,62", "125e6,200", "560e6,394")) {
      for (String pair : places) {
        for (int cores : vcpus) {
          for (int count : new int[] {1, 2, 4}) {
            for (int batch : new int[] {2048, 32768}) {
              run++;
              for (String place : pair.split(" ", -1)) {
                csv.append(
                    "%d,%s,%d,%s,%d,%d,%d,MEASURED\n"
                        .formatted(run, model, batch, place, count, 150, cores));
              }
            }
          }
        }
      }
    }
    List<Observation> unmeasured = read(csv.toString().replace("MEASURED", "1"));
    String measured = csv.toString();
    for (int i = 0; i < unmeasured.size(); i++) {
      // The error to a speed of 1 tells the speed.
      String speed = String.format(Locale.ROOT, "%.4f", 1 + unmeasured.get(i).error(TRUTH));
      measured = measured.replaceFirst("MEASURED", speed).replaceFirst("MEASURED", speed);
    }
    return read(measured);
  }
}
