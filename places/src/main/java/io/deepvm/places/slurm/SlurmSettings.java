package io.deepvm.places.slurm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run on a Slurm cluster needs to know of it; kept in the run's folder.
 *
 * @param run begins the names of the run's jobs; no other run has the same
 * @param timeSeconds the time limit of each job, which is the lease of its node
 * @param noticeSeconds how long before its end a job is warned
 * @param pollSeconds the pause between two looks at the queue
 * @param address where nodes reach this computer; null to find out
 */
public record SlurmSettings(
    String run,
    List<SlurmPool> pools,
    double timeSeconds,
    double noticeSeconds,
    double pollSeconds,
    @Nullable String address) {

  /** Begins the name of every job of this program. */
  public static final String PREFIX = "deepvm-";

  private static final JsonMapper JSON = JsonMapper.builder().build();

  public SlurmSettings {
    pools = List.copyOf(pools);
  }

  /** Returns the kinds of nodes as pools of a market. */
  public List<Pool> marketPools() {
    return pools.stream()
        .map(pool -> new Pool(new Place("slurm", "cluster", null), pool.name()))
        .toList();
  }

  /** Returns the most nodes at once. */
  int limit() {
    return pools.stream().mapToInt(SlurmPool::nodes).sum();
  }

  /** Whether the run in the folder is on a Slurm cluster. */
  public static boolean exist(Path folder) {
    return Files.exists(file(folder));
  }

  /** Keeps the settings in the run's folder. */
  public void write(Path folder) throws IOException {
    PrivateFiles.write(file(folder), JSON.writeValueAsString(this));
  }

  /** Reads the settings of the run in the folder. */
  public static SlurmSettings read(Path folder) throws IOException {
    try {
      return JSON.readValue(Files.readString(file(folder)), SlurmSettings.class);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "%s cannot be read: %s.".formatted(file(folder), e.getOriginalMessage()),
          "Maybe the file was edited, or is of a newer DeepVM.");
    }
  }

  private static Path file(Path folder) {
    return folder.resolve("slurm.json");
  }
}
