package io.deepvm.cli.coordinator;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.base.PrivateFiles;
import io.deepvm.cli.console.Terminal;
import io.deepvm.places.ssh.CoordinatorSeat;
import io.deepvm.places.ssh.RunKey;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A run's folder on its way to the host that will coordinate the run. It is put together here, sent
 * whole, and deleted here.
 */
public final class RunHandover implements AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Path local;
  private final Path stage;
  private final String name;

  private RunHandover(Path local, Path stage, String name) {
    this.local = local;
    this.stage = stage;
    this.name = name;
  }

  /**
   * Begins with an empty folder.
   *
   * @param local where this machine will keep the way to the coordinator
   * @param name the name of the run
   */
  public static RunHandover prepare(Path local, String name) throws IOException {
    Path stage = PrivateFiles.folder(PrivateFiles.folder(local).resolve("handover"));
    Path unused = PrivateFiles.folder(stage.resolve(name));
    return new RunHandover(local, stage, name);
  }

  /** Returns the folder that will be sent. */
  public Path folder() {
    return stage.resolve(name);
  }

  /** Returns the name of the run. */
  public String name() {
    return name;
  }

  /** Sends the folder, and keeps the way to it; the coordinator does not work yet. */
  public RemoteRun send(SshHost seat, SshSettings settings, RunKey key, Terminal terminal) {
    try {
      List<SshHost> hosts = key.hostsFrom(seat, settings.hosts());
      settings.movable(folder(), hosts).write(folder());
      PrivateFiles.write(folder().resolve("hosts.json"), hostsFile(hosts));
      Path packed = PrivateFiles.create(stage.resolve("packed.tar.gz"));
      PackedFolder.pack(folder(), packed);
      CoordinatorSeat.on(seat, settings, name).write(local);
      RemoteRun remote = Objects.requireNonNull(RemoteRun.of(local, terminal));
      remote.put(packed);
      return remote;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the hosts as a hosts file, whose paths begin beside the run's folder. */
  private String hostsFile(List<SshHost> hosts) throws IOException {
    ArrayNode list = JSON.createArrayNode();
    for (SshHost host : hosts) {
      SshHost.Login login = host.login();
      ObjectNode map = list.addObject();
      map.put("host", login.host());
      map.put("name", host.name());
      map.put("user", login.user());
      map.put("port", login.port());
      map.put("identity", name + "/" + login.identity());
      map.put("knownHosts", name + "/" + login.knownHosts());
      map.put("folder", host.folder());
      map.put("type", host.type());
      map.put("gpus", host.gpus());
      if (host.address() != null) {
        map.put("address", host.address());
      }
    }
    return JSON.writeValueAsString(list);
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> all = Files.walk(stage)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }
}
