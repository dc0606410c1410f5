package io.deepvm.places.ssh;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the coordinator of a run works; kept in the run's folder on the machine that started it.
 *
 * @param host the host that carries it
 * @param run names the run on the hosts
 * @param name the run's own name, and that of its folder there
 * @param runtime the SHA-256 of the program there
 */
public record CoordinatorSeat(SshHost host, String run, String name, String runtime) {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String FILE = "coordinator.json";

  /** Returns the seat of a new coordinator, whose host has the program of the settings. */
  public static CoordinatorSeat on(SshHost host, SshSettings settings, String name)
      throws IOException {
    String runtime = Runtimes.of(settings.shipment().classes()).sum();
    return new CoordinatorSeat(host, settings.run(), name, runtime);
  }

  /** Whether the run of the folder is coordinated elsewhere. */
  public static boolean exists(Path folder) {
    return Files.exists(folder.resolve(FILE));
  }

  /** Keeps it in the run's folder, for this user alone. */
  public void write(Path folder) throws IOException {
    PrivateFiles.write(folder.resolve(FILE), JSON.writeValueAsString(this));
  }

  /** Reads it from the run's folder. */
  public static CoordinatorSeat read(Path folder) throws IOException {
    try {
      return JSON.readValue(Files.readString(folder.resolve(FILE)), CoordinatorSeat.class);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "%s cannot be read: %s.".formatted(folder.resolve(FILE), e.getOriginalMessage()),
          "Maybe the file was edited, or is of a newer DeepVM.");
    }
  }

  /** Forgets it: the run is over, or another machine coordinates it. */
  public static void delete(Path folder) throws IOException {
    Files.deleteIfExists(folder.resolve(FILE));
  }
}
