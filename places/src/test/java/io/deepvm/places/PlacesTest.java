package io.deepvm.places;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import io.deepvm.places.testing.TestTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlacesTest {

  @TempDir private Path folder;

  @Test
  void aRunThatNamesNoPlaceIsHere() {
    assertThat(Places.of(folder).name()).isEqualTo("local");
  }

  @Test
  void aRunOnAwsIsEndedThereAndNotHere() throws Exception {
    Files.writeString(
        folder.resolve("aws.json"),
        """
        {"run": "run-1", "owner": "me", "access": {"region": "us-east-1", "endpoints": {}},
         "pools": [{"zoneId": "use1-az1", "instanceType": "g4dn.xlarge", "spotMicros": 1,
                    "mostSpotMicros": 2, "onDemandMicros": 2}],
         "login": {"image": "ami-1", "user": "ubuntu", "from": "203.0.113.7/32"},
         "ceiling": {"micros": 1000000, "untilMs": 1, "terms": {"bootSeconds": 900,
           "nodeSeconds": 120, "graceSeconds": 180, "endSeconds": 60, "partSeconds": 120}},
         "most": 2, "shipment": {"classes": "NONE", "setup": ""}}
        """);
    PlaceOfRun place = Places.of(folder);
    assertThat(place.name()).isEqualTo("aws");
    List<Pool> pools = List.of(new Pool(new Place("local", "local", null), "g4dn.xlarge"));
    TestTime time = new TestTime(Instant.EPOCH);
    try (Cloud cloud = place.cloud(folder, pools).make(time, time)) {
      assertThat(cloud.name()).isEqualTo("aws");
    }
  }
}
