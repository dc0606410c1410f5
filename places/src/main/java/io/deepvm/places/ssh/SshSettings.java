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
    PrivateFiles.write(file(folder), json());
  }

  /** Reads the settings of the run in the folder. */
  public static SshSettings read(Path folder) throws IOException {
    try {
      return JSON.readValue(Files.readString(file(folder)), SshSettings.class).within(folder);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "%s cannot be read: %s.".formatted(file(folder), e.getOriginalMessage()),
          "Maybe the file was edited, or is of a newer DeepVM.");
    }
  }

  /** Returns the same with the paths of files as seen from the run's folder. */
  private SshSettings within(Path folder) {
    List<SshHost> there =
        hosts.stream()
            .map(
                host -> {
                  SshHost.Login login = host.login();
                  return host.withLogin(
                      new SshHost.Login(
                          login.host(),
                          login.user(),
                          login.port(),
                          within(folder, login.identity()),
                          within(folder, login.knownHosts()),
                          login.authorizedKeys()));
                })
            .toList();
    Shipment files =
        new Shipment(
            shipment.classes(),
            within(folder, shipment.workdir()),
            shipment.setup(),
            within(folder, shipment.job()));
    return new SshSettings(run, owner, there, leaseSeconds, files);
  }

  private static @Nullable String within(Path folder, @Nullable String file) {
    return file == null ? null : folder.resolve(file).toAbsolutePath().normalize().toString();
  }

  /**
   * Returns the same for a folder that moves to another machine: the files that are in the folder
   * are named from there.
   */
  public SshSettings movable(Path folder, List<SshHost> others) {
    return new SshSettings(
        run,
        owner,
        others,
        leaseSeconds,
        new Shipment(
            shipment.classes(),
            named(folder, shipment.workdir()),
            shipment.setup(),
            named(folder, shipment.job())));
  }

  private static @Nullable String named(Path folder, @Nullable String file) {
    return file == null ? null : folder.toAbsolutePath().normalize().relativize(Path.of(file)) + "";
  }

  /** Returns the same run on other hosts of the same types; refuses others. */
  public SshSettings on(List<SshHost> others) {
    SshSettings there = new SshSettings(run, owner, others, leaseSeconds, shipment);
    if (!there.pools().equals(pools())) {
      throw new BadInput(
          "The hosts have the types %s, and those of the run had %s."
              .formatted(types(others), types(hosts)),
          "Maybe write the types into the hosts file as they were, in the same order.");
    }
    return there;
  }

  private static String types(List<SshHost> hosts) {
    return String.join(", ", hosts.stream().map(SshHost::type).distinct().toList());
  }

  /** Returns the same for a copy that anybody may find: without a way to log in. */
  public SshSettings withoutLogins(Path folder) {
    return movable(
        folder,
        hosts.stream()
            .map(
                host ->
                    host.withLogin(
                        new SshHost.Login(host.login().host(), null, null, null, null, null)))
            .toList());
  }

  /** Returns the settings as text. */
  public String json() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads settings as {@link #json} wrote them. */
  public static SshSettings parse(String text) throws IOException {
    return JSON.readValue(text, SshSettings.class);
  }

  private static Path file(Path folder) {
    return folder.resolve("ssh.json");
  }
}
