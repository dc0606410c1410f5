package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FitCommandTest {

  @TempDir Path folder;

  @Test
  void aScalingCurveIsFoundAgainFromItsOwnPoints() throws IOException {
    // c / (1 + exp(-a (n - b))) with a = 0.2, b = 10, c = 5, and its tangent before b
    Screen screen =
        run(
            "nodes,speedup\n4,1\n8,2\n12,2.993438\n16,3.842624\n24,4.713379\n32,4.939360\n",
            "scaling",
            "--at",
            "16",
            "--at",
            "100",
            "--output",
            "json");
    assertThat(screen.exitCode()).isEqualTo(Exit.DONE);
    JsonNode fit = new ObjectMapper().readTree(screen.out());
    assertThat(fit.at("/parameters/0/value").asDouble()).isBetween(0.199, 0.201);
    assertThat(fit.at("/parameters/1/value").asDouble()).isBetween(9.95, 10.05);
    assertThat(fit.at("/predictions/0/value").asDouble()).isBetween(3.84, 3.85);
    assertThat(fit.at("/predictions/1/timesBeyondMeasured").asDouble()).isGreaterThan(3);
  }

  @Test
  void whatToWriteIntoTheJobFileIsPrinted() throws IOException {
    Screen screen = run("nodes,speedup\n2,1.8\n4,3.1\n8,5.2\n16,7.1\n", "scaling");
    assertThat(screen.out()).contains("scaling.measured.TYPE", "{a: ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nodes,speedup\\n2,1.8\\n4,3\\n             | scaling | determine
          node,speedup\\n2,1.8\\n                    | scaling | 'nodes'
          nodes,speedup\\n2.5,1.8\\n4,3\\n8,5\\n      | scaling | whole number
          nodes,speedup\\n2,NaN\\n4,3\\n8,5\\n        | scaling | NaN
          """)
  void measurementsThatCannotBeFittedAreRefused(String csv, String curve, String named)
      throws IOException {
    Screen screen = run(csv.replace("\\n", "\n"), curve);
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains(named).contains("Maybe");
    assertThat(screen.out()).isEmpty();
  }

  private Screen run(String csv, String curve, String... options) throws IOException {
    Path file = Files.writeString(folder.resolve("measured.csv"), csv);
    String[] args = new String[3 + options.length];
    args[0] = "fit";
    args[1] = curve;
    args[2] = file.toString();
    System.arraycopy(options, 0, args, 3, options.length);
    return Screen.run(args);
  }
}
