package io.deepvm.market.interruption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Place;
import io.deepvm.market.Markets;
import io.deepvm.market.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterruptionsTest {

  @TempDir Path folder;

  private Interruptions read(String text) throws IOException {
    return Markets.interruptions(Files.writeString(folder.resolve("bands"), text));
  }

  private static Pool pool(@Nullable String zone, String type) {
    return new Pool(new Place("aws", "us-east-1", zone), type);
  }

  @Test
  void spotAdvisorStatesBandsByRegion() throws IOException {
    Interruptions read =
        read(
            """
            {"global_rate": "<10%", "instance_types": {"g5.xlarge": {"cores": 4}},
             "ranges": [{"index": 0, "label": "<5%", "dots": 0, "max": 5}],
             "spot_advisor": {"us-east-1": {
               "Windows": {"g5.xlarge": {"s": 40, "r": 0}},
               "Linux": {"g5.xlarge": {"s": 60, "r": 4}, "g4dn.xlarge": {"r": 1, "s": 60}}}}}
            """);

    assertThat(read.of(pool("use1-az2", "g5.xlarge"))).isEqualTo(new Band(0.2, 1));
    assertThat(read.of(pool(null, "g4dn.xlarge"))).isEqualTo(new Band(0.05, 0.1));
    assertThat(read.of(pool(null, "p3.2xlarge"))).isNull();
    assertThat(read.of(new Pool(new Place("gcp", "us-east-1", null), "g5.xlarge"))).isNull();
  }

  @Test
  void spotLakeStatesBandsByZone() throws IOException {
    Interruptions read =
        read(
            """
            Time,InstanceType,Region,AZ,SPS,T3,T2,IF,OndemandPrice,SpotPrice,Savings
            2025-09-01 00:00:00,g5.xlarge,us-east-1,use1-az2,3,1,1,2.5,1.006,0.4,60
            2025-09-01 00:00:00,g5.xlarge,us-east-1,use1-az4,3,1,1,-1.0,1.006,0.4,60
            """);

    assertThat(read.of(pool("use1-az2", "g5.xlarge"))).isEqualTo(new Band(0.05, 0.1));
    assertThat(read.of(pool("use1-az4", "g5.xlarge"))).isNull();
  }

  @Test
  void bandIsAMeanTimeBetweenLosses() {
    // 7.5 % within a month of 730 h.
    assertThat(new Band(0.05, 0.1).hoursPerLoss()).isEqualTo(730 / 0.0779615, offset(1.0));
    assertThat(new Band(0.2, 1).share()).isEqualTo(0.3, offset(1e-12));
  }

  @Test
  void whatIsNoBandIsRefused() {
    assertThatThrownBy(() -> read("{\"spot_advisor\": {\"r\": {\"Linux\": {\"t\": {\"r\": 7}}}}}"))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("no band of interruptions 7");
    assertThatThrownBy(() -> read("InstanceType,Region,AZ,IF\ng5.xlarge,r,z,2.2\n"))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("An IF of 2.2");
    assertThatThrownBy(() -> read("{}"))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("states no interruptions");
  }
}
