package io.deepvm.market;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Makes the built-in traces anew from the files they come from; run by name only, as
 * docs/explanation/market.md says.
 */
final class RefreshTraces {

  /** The probes asked for machines with one GPU, the prices are of eight. */
  private static final int GPUS_PRICED = 8;

  private static final Path RESOURCES =
      Path.of(System.getProperty("deepvm.root", "."), "market/src/main/resources/io/deepvm/market");

  @Test
  void writesTheGcpTrace() {
    Map<String, Trace> priced =
        Markets.load(folder("market.skynomad") + "/h100").traces().stream()
            .collect(
                Collectors.toMap(
                    trace -> String.valueOf(trace.pool().place().zone()), Function.identity()));
    Recording counts =
        Markets.load(folder("market.counts"), ReadOptions.NONE.withInstanceType("a3-highgpu-1g"));
    List<Trace> traces =
        counts.traces().stream()
            .map(
                trace -> {
                  Trace of =
                      Objects.requireNonNull(
                          priced.get(String.valueOf(trace.pool().place().zone())));
                  double[] spot = new double[trace.length()];
                  Arrays.fill(spot, share(of.spotUsdPerHour()[0]));
                  return trace.priced(spot, share(Objects.requireNonNull(of.onDemandUsdPerHour())));
                })
            .toList();
    write(
        new Recording(
            "gcp-h100-2025-10",
            "SkyNomad artifact (github.com/andylizf/skynomad-artifact, 62b9aaa, 2026-08): launch"
                + " probes of 16 spot a3-highgpu-1g (one H100) every 10 minutes in 13 GCP zones,"
                + " 2025-10-04 to 2025-10-12 UTC; list prices of 2025-10-22, stated for 8 GPUs with"
                + " 96 vCPUs and 768 GiB, here one eighth of that a node",
            "Apache-2.0, the SkyNomad authors",
            traces,
            List.of()));
  }

  @Test
  void writesTheAwsTrace() {
    write(
        new Recording(
            "aws-v100-2023-02",
            "SkyNomad artifact (github.com/andylizf/skynomad-artifact, 62b9aaa, 2026-08): launch"
                + " probes of one spot p3.2xlarge (one V100) every 195 s in 3 AWS zones, 2023-02-15"
                + " to 2023-04-02 UTC, with the spot price at each",
            "Apache-2.0, the SkyNomad authors",
            Markets.load(folder("market.skynomad") + "/v100").traces(),
            List.of()));
  }

  // Rates are real numbers; a millionth of a dollar is as fine as money is paid.
  private static double share(double price) {
    return Math.round(price / GPUS_PRICED * 1e6) / 1e6;
  }

  private static String folder(String property) {
    return Objects.requireNonNull(System.getProperty(property), "-D" + property);
  }

  private static void write(Recording recording) {
    Path file = RESOURCES.resolve(recording.name() + ".csv.gz");
    Markets.write(recording, file);
    assertThat(Markets.load(file.toString()).traces()).isEqualTo(recording.traces());
  }
}
