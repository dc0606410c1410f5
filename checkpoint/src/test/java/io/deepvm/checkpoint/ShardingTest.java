package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.deepvm.checkpoint.tier.SpreadTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShardingTest {

  private static JsonNode vectors() throws IOException {
    Path file =
        Path.of(System.getProperty("deepvm.root", "."), "..", "shared", "vectors", "deepvm.json");
    assumeTrue(Files.exists(file), "the reference vectors are not here");
    return new ObjectMapper().readTree(file.toFile()).get("deepcheck");
  }

  @Test
  void sharesBeginWhereThePublishedOnesDo() throws Exception {
    for (JsonNode vector : vectors().get("shard_ranges")) {
      int shards = vector.get("shards").asInt();
      long length = vector.get("length").asLong();
      for (int k = 0; k < shards; k++) {
        assertThat(StateSharding.begin(length, k, shards))
            .isEqualTo(vector.get("half_open_ranges").get(k).get(0).asLong());
        assertThat(StateSharding.begin(length, k + 1, shards))
            .isEqualTo(vector.get("half_open_ranges").get(k).get(1).asLong());
      }
    }
  }

  @Test
  void shardsGoToTheAnchorsThatThePaperSendsThemTo() throws Exception {
    for (JsonNode vector : vectors().get("worker_to_remote_assignment")) {
      int shards = vector.get("shards").asInt();
      int remotes = vector.get("remote").asInt();
      int train = vector.get("train").asInt();
      for (int worker = 0; worker < shards; worker++) {
        assertThat(train + SpreadTier.home(worker, shards, remotes))
            .isEqualTo(vector.get("destination_rank_by_worker").get(worker).asInt());
      }
    }
  }

  @Test
  void fewerShardsThanAnchorsGoToOneEach() {
    List<Integer> homes = new ArrayList<>();
    for (int shard = 0; shard < 3; shard++) {
      homes.add(SpreadTier.home(shard, 3, 5));
    }
    assertThat(homes).containsExactly(0, 1, 2);
  }

  @Test
  void sharesOfAHugeStateDoNotOverflow() {
    long bytes = 100_000_000_000_000L;
    assertThat(StateSharding.begin(bytes, 999, 1000)).isEqualTo(99_900_000_000_000L);
    assertThat(StateSharding.begin(Long.MAX_VALUE, 7, 7)).isEqualTo(Long.MAX_VALUE);
  }
}
