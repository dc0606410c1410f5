package io.deepvm.catalog.deepvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.Quota;
import io.deepvm.catalog.SpeedupCurve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeepVmFormatTest {

  private static final String G4DN =
      """
      {"name": "g4dn.xlarge", "type": "G", "ondemand_price": 0.526, "spot_price": 0.1578,
       "vCPU": 4, "memory": 16.0, "network_bandwidth": 25, "flops": 377}""";
  private static final String SIMULATED =
      """
      {"name": "E", "ondemand_price": 0.368, "spot_price": 0.1104, "network_bandwidth": 1.7,
       "flops": 100.0, "a": 0.1, "b": 20.0, "c": 15.0, "type": "G", "vCPU": 4}""";

  private final Path folder;

  DeepVmFormatTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Catalog read(String text) throws IOException {
    return Catalogs.load(Files.writeString(folder.resolve("data.json"), text).toString());
  }

  @Test
  void anInstanceKeepsItsFiguresAndTheOriginalsCurve() throws IOException {
    Listing listing = read("{\"instances\": [" + G4DN + "]}").listings().get(0);

    Machine machine = listing.machine();
    assertThat(listing.place()).hasToString("aws/us-east-1");
    assertThat(listing.spot()).isEqualTo(Money.parse("0.1578"));
    assertThat(listing.onDemand()).isEqualTo(Money.parse("0.526"));
    assertThat(machine.family()).isEqualTo("g");
    assertThat(machine.vcpus()).isEqualTo(4);
    assertThat(machine.memory()).isEqualTo(new DataSize(16_000_000_000L));
    assertThat(machine.network()).isEqualTo(Bandwidth.ofGbps(25));
    assertThat(machine.statedFlops()).isEqualTo(377);
    assertThat(machine.speedup())
        .isEqualTo(new SpeedupCurve(0.1338806402, 12.87424514, 6.176666667));
  }

  @Test
  void theSecondShapeBringsItsOwnCurveAndNoMemory() throws IOException {
    Machine machine = read("{\"instances\": [" + SIMULATED + "]}").listings().get(0).machine();

    assertThat(machine.memory()).isNull();
    assertThat(machine.speedup()).isEqualTo(new SpeedupCurve(0.1, 20, 15));
    assertThat(machine.network()).isEqualTo(Bandwidth.ofMbps(1700));
  }

  @Test
  void availableVcpusAreQuotasByFamilyAndMarket() throws IOException {
    Catalog catalog =
        read(
            "{\"instances\": [%s], \"available_vcpus\": {\"G\": {\"ondemand\": 32, \"spot\": 128}}}"
                .formatted(G4DN));

    assertThat(catalog.quotas())
        .containsExactly(
            new Quota(PlaceFilter.ANYWHERE, Set.of("g"), Market.ON_DEMAND, Quota.Unit.VCPUS, 32),
            new Quota(PlaceFilter.ANYWHERE, Set.of("g"), Market.SPOT, Quota.Unit.VCPUS, 128));
  }

  @Test
  void theListOfInstancesMayStandAlone() throws IOException {
    assertThat(read("[" + G4DN + ", " + SIMULATED + "]").listings()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          [{"name": "x", "type": "G", "spot_price": -1, "vCPU": 4}]    | spot_price should be a number | unknown
          [{"name": "x", "type": "G", "spot_price": 0, "vCPU": 4}]     | spot_price is zero            | not offered
          [{"name": "x", "type": "G", "spot_price": 1e-9, "vCPU": 4}]  | is no price                   | per hour
          [{"name": "x", "type": "G", "spot_price": 1e90, "vCPU": 4}]  | is no price                   | per hour
          [{"name": "x", "type": "G", "spot_price": NaN, "vCPU": 4}]   | not 'NaN'                     | unknown
          [{"name": "x", "type": "G", "spot_price": "1", "vCPU": 4}]   | should be a number            | unknown
          [{"name": "x", "type": "G", "vCPU": 4}]                      | no spot_price or ondemand     | another kind
          [{"name": "x", "spot_price": 1, "vCPU": 4}]                  | has no type                   | another kind
          [{"name": "x", "type": "G", "spot_price": 1}]                | has no vCPU                   | another kind
          [{"name": "x", "type": "G", "spotprice": 1, "vCPU": 4}]      | line 1, column 29: the key 'spotprice' | 'spot_price'
          [{"name": "x", "name": "y"}]                                 | Duplicate                     | twice
          [{"name": "x", "type": "G", "spot_price": 1, "vCPU": 4, "a": 1}] | some of a, b and c        | all three
          {"instance": []}                                             | 'instance'                    | 'instances'
          {"instances": []}                                            | lists nothing                 | wrong one
          {"instances": [], "available_vcpus": {"G": {"spott": 1}}}    | 'spott'                       | 'spot'
          {"instances": {}}                                            | a list of instances           | brackets
          {"instances": [                                              | line                          | bracket
          [] []                                                        | goes on                       | two files
          """)
  void wrongInputSaysWhatAndHow(String text, String message, String wayOut) {
    BadInput error = catchThrowableOfType(BadInput.class, () -> read(text));

    assertThat(error).hasMessageContaining(message);
    assertThat(error.wayOut()).contains(wayOut);
  }

  @Test
  void anInstanceThatIsThereTwiceIsNamed() {
    assertThat(catchThrowableOfType(BadInput.class, () -> read("[" + G4DN + "," + G4DN + "]")))
        .hasMessageContaining("'g4dn.xlarge' is there twice");
  }

  @Test
  void aHugeTextIsRefusedBeforeItIsHeld() {
    String huge = "[{\"name\": \"" + "x".repeat(1 << 20) + "\"}]";

    assertThat(catchThrowableOfType(BadInput.class, () -> read(huge)))
        .hasMessageContaining("data.json");
  }
}
