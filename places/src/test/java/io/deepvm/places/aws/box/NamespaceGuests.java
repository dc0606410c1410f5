package io.deepvm.places.aws.box;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.places.aws.fake.FakeEc2;
import io.deepvm.places.aws.fake.FakeInstance;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Gives each instance a network namespace with a real sshd and a metadata server. */
final class NamespaceGuests implements FakeEc2.Guests, AutoCloseable {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  /** Marks everything here on this machine; addresses are of this network. */
  static final String BRIDGE = "dvbox0";

  static final String SUBNET = "10.231.0.";

  private final Path folder;
  private final ExecutorService threads = Executors.newCachedThreadPool(NamespaceGuests::daemon);

  private NamespaceGuests(Path folder) {
    this.folder = folder;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "guest");
    thread.setDaemon(true);
    return thread;
  }

  /** Makes the network; fails if namespaces are impossible here. */
  static NamespaceGuests open(Path folder) throws IOException {
    clear();
    ip("link", "add", BRIDGE, "type", "bridge");
    ip("addr", "add", SUBNET + "1/24", "dev", BRIDGE);
    ip("link", "set", BRIDGE, "up");
    return new NamespaceGuests(folder);
  }

  /** Removes what an earlier one left. */
  static void clear() throws IOException {
    for (String line : run(List.of("ip", "netns", "list")).lines().toList()) {
      String name = line.split(" ", 2)[0];
      if (name.startsWith("dvbox-")) {
        remove(name);
      }
    }
    run(List.of("ip", "link", "del", BRIDGE));
  }

  private static void remove(String space) throws IOException {
    for (String pid : run(List.of("ip", "netns", "pids", space)).lines().toList()) {
      ProcessHandle.of(Long.parseLong(pid.strip())).ifPresent(ProcessHandle::destroyForcibly);
    }
    run(List.of("ip", "netns", "del", space));
  }

  private static String space(FakeInstance instance) {
    return "dvbox-" + instance.address().substring(SUBNET.length());
  }

  private Path home(FakeInstance instance) {
    return folder.resolve(instance.id());
  }

  @Override
  public void boots(FakeInstance instance, String userData) {
    var unused =
        threads.submit(
            () -> {
              try {
                boot(instance, userData);
              } catch (IOException e) {
                System.err.println("An instance does not boot: " + e.getMessage());
              }
            });
  }

  private void boot(FakeInstance instance, String userData) throws IOException {
    String space = space(instance);
    String number = instance.address().substring(SUBNET.length());
    ip("netns", "add", space);
    ip("link", "add", "dvbox" + number, "type", "veth", "peer", "name", "eth0", "netns", space);
    ip("link", "set", "dvbox" + number, "master", BRIDGE, "up");
    ip("-n", space, "addr", "add", instance.address() + "/24", "dev", "eth0");
    ip("-n", space, "link", "set", "eth0", "up");
    ip("-n", space, "link", "set", "lo", "up");
    ip("-n", space, "addr", "add", "169.254.169.254/32", "dev", "lo");
    Path home = Files.createDirectories(home(instance));
    JsonNode data = JSON.readTree(userData.substring(userData.indexOf('\n') + 1));
    secret(home.resolve("host-key"), data.at("/ssh_keys/ed25519_private").asText());
    secret(home.resolve("authorized"), data.at("/ssh_authorized_keys/0").asText() + "\n");
    secret(home.resolve("bootcmd.sh"), data.at("/bootcmd/0/2").asText());
    for (String name : List.of("guest.sh", "metadata.py")) {
      secret(home.resolve(name), resource(name));
    }
    List<String> line =
        List.of(
            "ip",
            "netns",
            "exec",
            space,
            "unshare",
            "-m",
            "--propagation",
            "private",
            "sh",
            home.resolve("guest.sh").toString(),
            home.toString(),
            instance.address());
    new ProcessBuilder(line)
        .redirectErrorStream(true)
        .redirectOutput(home.resolve("console.log").toFile())
        .start();
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = NamespaceGuests.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException(name + " is missing");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void secret(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @Override
  public void ends(FakeInstance instance) {
    try {
      remove(space(instance));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Lets the metadata of an instance announce its end. */
  void notice(FakeInstance instance, long leadMs) throws IOException {
    Instant at = Instant.now().plusMillis(leadMs).truncatedTo(ChronoUnit.SECONDS);
    Files.writeString(
        home(instance).resolve("notice"),
        "{\"action\": \"terminate\", \"time\": \"%s\"}".formatted(at));
  }

  /** Whether the instance switched itself off. */
  boolean isOff(FakeInstance instance) {
    return Files.exists(home(instance).resolve("off"));
  }

  private static void ip(String... words) throws IOException {
    List<String> line = new ArrayList<>(List.of("ip"));
    line.addAll(List.of(words));
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (await(process) != 0) {
      throw new IOException("'%s' failed: %s".formatted(String.join(" ", line), said.strip()));
    }
  }

  private static String run(List<String> line) throws IOException {
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return await(process) == 0 ? said : "";
  }

  private static int await(Process process) throws IOException {
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return -1;
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  @Override
  public void close() throws IOException {
    clear();
  }
}
