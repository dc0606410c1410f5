package io.deepvm.places.ssh;

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
 * What a run on ssh hosts needs to know of them; kept in the run's folder.
 *
 * @param run names the run on the hosts; no other run has the same
 * @param owner who started it, for people
 * @param leaseSeconds how long a node lives without a coordinator
 */
public record SshSettings(
    String run, String owner, List<SshHost> hosts, double leaseSeconds, Shipment shipment) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  public SshSettings {
    hosts = List.copyOf(hosts);
  }

  /**
   * What is brought to each host. What is null or empty is left out.
   *
   * @param classes which of this program's classes
   * @param workdir a packed working folder
   * @param setup a shell command that runs once in the working folder of each host
   * @param job a file that nodes find as job.yaml in the run's folder
   */
  public record Shipment(
      Classes classes, @Nullable String workdir, String setup, @Nullable String job) {

    /** Nothing is brought along. */
    public static final Shipment NONE = new Shipment(Classes.NONE, null, "", null);
  }

  /** Which classes of this program a host needs. */
  public enum Classes {
    NONE,
    /** Those of an agent that runs a command. */
    AGENT,
    /** All, with the native libraries of the built-in trainer. */
    ALL
  }

  /** Returns the pools of the hosts: one for each type, in the order of the hosts. */
  public List<Pool> pools() {
    return hosts.stream()
        .map(SshHost::type)
        .distinct()
        .map(type -> new Pool(new Place("ssh", "hosts", null), type))
        .toList();
  }

  /** Whether the run in the folder is on ssh hosts. */
  public static boolean exist(Path folder) {
    return Files.exists(file(folder));
  }

  /** Keeps the settings in the run's folder. */
  public void write(Path folder) throws IOException {
    PrivateFiles.write(file(folder), JSON.writeValueAsString(this));
  }

  /** Reads the settings of the run in the folder. */
  public static SshSettings read(Path folder) throws IOException {
    try {
      return JSON.readValue(Files.readString(file(folder)), SshSettings.class);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "%s cannot be read: %s.".formatted(file(folder), e.getOriginalMessage()),
          "Maybe the file was edited, or is of a newer DeepVM.");
    }
  }

  private static Path file(Path folder) {
    return folder.resolve("ssh.json");
  }
}
