package io.deepvm.places.aws;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import io.deepvm.places.ledger.Ceiling;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a run on AWS needs to know of it; kept in the run's folder.
 *
 * @param run names the run in tags and tokens; no other run has the same
 * @param owner who started it, for people
 * @param pools what is rented, in the order of the run's pools
 * @param most the most nodes at once
 */
public record AwsSettings(
    String run,
    String owner,
    AwsAccess access,
    List<Offered> pools,
    Login login,
    Ceiling ceiling,
    int most,
    SshSettings.Shipment shipment) {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  public AwsSettings {
    pools = List.copyOf(pools);
  }

  /**
   * An instance type in a zone.
   *
   * @param zoneId the zone's name that is the same in all accounts, like use1-az2
   * @param spotMicros the spot price an hour that was accepted
   * @param mostSpotMicros the most that is paid an hour for a spot instance
   * @param onDemandMicros the price an hour on demand
   */
  public record Offered(
      String zoneId,
      String instanceType,
      long spotMicros,
      long mostSpotMicros,
      long onDemandMicros) {}

  /**
   * How machines are reached.
   *
   * @param image the id of the machine image
   * @param user whom ssh logs in as
   * @param from the addresses that may use ssh, like 203.0.113.7/32
   */
  public record Login(String image, String user, String from) {}

  /** Returns the pools of the run. */
  public List<Pool> poolsOfRun() {
    return pools.stream()
        .map(
            each -> new Pool(new Place("aws", access.region(), each.zoneId()), each.instanceType()))
        .toList();
  }

  /** Returns the same settings with what is brought to each machine. */
  public AwsSettings with(SshSettings.Shipment other) {
    return new AwsSettings(run, owner, access, pools, login, ceiling, most, other);
  }

  /** Whether the run in the folder is on AWS. */
  public static boolean exist(Path folder) {
    return Files.exists(file(folder));
  }

  /** Keeps the settings in the run's folder. */
  public void write(Path folder) throws IOException {
    PrivateFiles.write(file(PrivateFiles.folder(folder)), JSON.writeValueAsString(this));
  }

  /** Reads the settings of the run in the folder. */
  public static AwsSettings read(Path folder) throws IOException {
    try {
      return JSON.readValue(Files.readString(file(folder)), AwsSettings.class);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "%s cannot be read: %s.".formatted(file(folder), e.getOriginalMessage()),
          "Maybe the file was edited, or is of a newer DeepVM.");
    }
  }

  private static Path file(Path folder) {
    return folder.resolve("aws.json");
  }
}
