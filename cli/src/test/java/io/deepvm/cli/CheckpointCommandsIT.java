package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.AnchorOptions;
import io.deepvm.checkpoint.anchor.AnchorService;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.cli.options.Values;
import io.deepvm.transport.Security;
import io.deepvm.transport.Token;
import io.deepvm.transport.TokenFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CheckpointCommandsIT {

  private static final Claim CLAIM = new Claim(1, UUID.randomUUID());

  private static final String TOKEN = "0123456789abcdef0123456789abcdef";

  @TempDir Path folder;

  private static void save(Tier tier, long step) throws InterruptedException {
    Slice slice =
        Slice.whole(new TensorSpec("w", DType.U8, List.of(100_000L)), ByteBuffer.allocate(100_000));
    try (CheckpointEngine engine =
        new CheckpointEngine(
            EngineOptions.of("resnet", CLAIM, DataSize.parse("4MiB")), List.of(tier))) {
      engine.start();
      Ticket ticket = engine.save(step, TrainingState.replicated(List.of(slice)), Map.of());
      assertThat(ticket.await(tier.level(), Duration.ofSeconds(30))).isTrue();
    }
  }

  private String store() {
    return folder.resolve("store").toString();
  }

  private Path shard(long step) {
    return folder.resolve(
        "store/resnet/step-%012d-g000001/shard-00000-of-00001.safetensors".formatted(step));
  }

  @Test
  void aFolderIsListedCheckedRestoredAndCleanedUp() throws Exception {
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("store"));
    save(disk, 7);
    save(disk, 8);
    Screen listed = Screen.run("checkpoint", "ls", "--store", store(), "--output", "csv");
    assertThat(listed.exitCode()).isZero();
    assertThat(listed.out().lines().map(l -> l.replaceAll(",\\d{5,},", ",N,")))
        .containsExactly(
            "job,step,generation,bytes,status",
            "resnet,8,1,N,restorable",
            "resnet,7,1,N,restorable");
    assertThat(Screen.run("checkpoint", "verify", "--store", store()).exitCode()).isZero();
    byte[] bytes = Files.readAllBytes(shard(8));
    bytes[bytes.length - 10] ^= 1;
    Files.write(shard(8), bytes);
    Screen damaged = Screen.run("checkpoint", "verify", "--store", store(), "--output", "json");
    assertThat(damaged.exitCode()).isEqualTo(3);
    assertThat(damaged.out()).contains("\"status\" : \"sound\"", "deepvm/checkpoint-verify/v1");
    Path out = folder.resolve("model.safetensors");
    Screen restored =
        Screen.run("checkpoint", "restore", "--store", store(), "--out", out.toString());
    assertThat(restored.exitCode()).as(restored.err()).isZero();
    assertThat(restored.out()).contains("resnet     7");
    assertThat(Files.size(out)).isGreaterThan(100_000);
    Files.delete(shard(7).resolveSibling("manifest.json"));
    Screen cleaned = Screen.run("checkpoint", "gc", "--store", store(), "--output", "csv");
    assertThat(cleaned.out()).contains("resnet,7,1,").contains("deleted");
    assertThat(shard(7)).doesNotExist();
  }

  @Test
  void mistakesAreExplained() throws IOException {
    Screen nowhere = Screen.run("checkpoint", "ls", "--store", folder + "/none");
    assertThat(nowhere.exitCode()).isEqualTo(2);
    assertThat(nowhere.err()).contains("There is no folder");
    assertThat(Screen.run("checkpoint", "ls", "--store", "anchor:127.0.0.1:1").exitCode())
        .isEqualTo(2);
    assertThat(Screen.run("checkpoint", "ls", "--store", "anchor:nonsense").err())
        .contains("not an address");
    Screen open =
        Screen.run(
            "checkpoint",
            "anchor",
            "--listen",
            "0.0.0.0:0",
            "--memory",
            "8MB",
            "--disk",
            folder.resolve("disk").toString());
    assertThat(open.exitCode()).isEqualTo(2);
    assertThat(open.err()).contains("neither a token nor TLS");
    Screen shared =
        Screen.run(
            "checkpoint",
            "agent",
            "--to",
            store(),
            "--socket",
            Files.createDirectories(folder.resolve("shared")) + "/a.sock");
    assertThat(shared.exitCode()).isEqualTo(2);
    assertThat(shared.err()).contains("not a folder of this user alone");
    for (String address : List.of("0.0.0.0:0", "192.0.2.1:9464")) {
      Screen seen = Screen.run("checkpoint", "agent", "--to", store(), "--metrics", address);
      assertThat(seen.exitCode()).isEqualTo(2);
      assertThat(seen.err())
          .contains(address.substring(0, address.indexOf(':')), "beyond this machine", "Maybe");
    }
    Screen nonsense =
        Screen.run(
            "checkpoint",
            "anchor",
            "--listen",
            "127.0.0.1:0",
            "--memory",
            "8MB",
            "--disk",
            folder.resolve("disk").toString(),
            "--metrics",
            "9464");
    assertThat(nonsense.exitCode()).isEqualTo(2);
    assertThat(nonsense.err()).contains("--metrics", "'9464' is not an address");
    Screen rule = Screen.run("checkpoint", "agent", "--to", store(), "--behind", "never");
    assertThat(rule.err()).contains("There is no rule 'never', only coalesce, skip, block.");
  }

  private Path secretFile(String name) throws IOException {
    Path file = Files.writeString(folder.resolve(name), TOKEN + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void aTokenFileThatOthersMayReadIsRefused() throws IOException {
    Path token = secretFile("loose");
    Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
    for (List<String> command :
        List.of(
            List.of("ls", "--store", "anchor:127.0.0.1:1"),
            List.of("agent", "--to", store(), "--anchor", "127.0.0.1:1"),
            List.of(
                "anchor",
                "--listen",
                "127.0.0.1:0",
                "--memory",
                "8MB",
                "--disk",
                folder.resolve("disk").toString()))) {
      List<String> arguments = new ArrayList<>(List.of("checkpoint"));
      arguments.addAll(command);
      arguments.addAll(List.of("--token-file", token.toString()));
      Screen refused = Screen.run(arguments.toArray(String[]::new));
      assertThat(refused.exitCode()).isEqualTo(2);
      assertThat(refused.err()).contains("is open to other users", "Maybe", "chmod 600");
    }
  }

  @Test
  void sharingIsForFoldersAndOpensThemToTheirGroup() throws IOException {
    Screen refused = Screen.run("checkpoint", "agent", "--to", "s3://bucket/prefix", "--shared");
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err()).contains("--shared is for folders");
    Path disk = folder.resolve("disk");
    // no address of this machine: the anchor ends before it serves
    Screen.run(
        "checkpoint",
        "anchor",
        "--shared",
        "--listen",
        "192.0.2.1:0",
        "--token-file",
        secretFile("token").toString(),
        "--memory",
        "8MB",
        "--disk",
        disk.toString());
    assertThat((Integer) Files.getAttribute(disk, "unix:mode") & 07777).isEqualTo(02770);
  }

  @Test
  void beyondLoopbackAnAnchorIsAskedOverTls() throws Exception {
    Optional<InetAddress> outside =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(a -> a instanceof Inet4Address && !a.isLoopbackAddress())
            .findFirst();
    assumeTrue(outside.isPresent(), "This machine has no address beyond loopback.");
    Path token = secretFile("token");
    AnchorOptions options =
        AnchorOptions.of(
                new InetSocketAddress(outside.orElseThrow(), 0),
                DataSize.parse("8MB"),
                folder.resolve("disk"))
            .withToken(Token.of(TOKEN));
    try (AnchorService anchor = new AnchorService(options)) {
      anchor.start();
      String address = outside.orElseThrow().getHostAddress() + ":" + anchor.address().getPort();
      try (AnchorClient client =
          AnchorClient.secured(Values.address(address), Security.of(new TokenFile(token)))) {
        save(new RemoteTier("anchor", Level.REPLICATED, client), 5);
      }
      Screen listed =
          Screen.run(
              "checkpoint", "ls", "--store", "anchor:" + address, "--token-file", token.toString());
      assertThat(listed.out()).contains("restorable");
      AnchorClient plain =
          AnchorClient.secured(
              Values.address(address), Security.of(new TokenFile(token)).unencrypted());
      try (plain) {
        assertThatThrownBy(() -> new RemoteTier("anchor", Level.REPLICATED, plain).jobs())
            .isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void secretsAreMadePrivateAndForOneRole() throws Exception {
    Path token = folder.resolve("made");
    Path worker = folder.resolve("worker");
    assertThat(Screen.run("checkpoint", "token", "--out", token.toString()).exitCode()).isZero();
    Screen again = Screen.run("checkpoint", "token", "--out", token.toString());
    assertThat(again.exitCode()).isEqualTo(2);
    assertThat(again.err()).contains("exists", "--replace");
    assertThat(
            Screen.run(
                    "checkpoint",
                    "token",
                    "--role",
                    "worker",
                    "--token-file",
                    token.toString(),
                    "--out",
                    worker.toString())
                .exitCode())
        .isZero();
    for (Path file : List.of(token, worker)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
    }
    AnchorOptions options =
        AnchorOptions.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                DataSize.parse("8MB"),
                folder.resolve("disk"))
            .withSecurity(Security.of(new TokenFile(token)));
    try (AnchorService anchor = new AnchorService(options)) {
      anchor.start();
      try (AnchorClient client =
          AnchorClient.secured(anchor.address(), Security.of(new TokenFile(worker)))) {
        save(new RemoteTier("anchor", Level.REPLICATED, client), 5);
      }
      String store = "anchor:127.0.0.1:" + anchor.address().getPort();
      assertThat(
              Screen.run("checkpoint", "ls", "--store", store, "--token-file", token.toString())
                  .out())
          .contains("restorable");
      Screen worse =
          Screen.run("checkpoint", "ls", "--store", store, "--token-file", worker.toString());
      assertThat(worse.exitCode()).isEqualTo(2);
      assertThat(worse.err()).contains("no secret here from coordinator to anchor");
    }
  }

  @Test
  void halfACertificateIsRefused() {
    Screen half =
        Screen.run("checkpoint", "ls", "--store", "anchor:127.0.0.1:1", "--tls-cert", "some.pem");
    assertThat(half.exitCode()).isEqualTo(2);
    assertThat(half.err()).contains("--tls-cert and --tls-key belong together", "Maybe");
  }

  @Test
  void anAnchorRunsUntilItIsToldToEndAndFlushesFirst() throws Exception {
    Path token = secretFile("token");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(),
                "checkpoint",
                "anchor",
                "--listen",
                "127.0.0.1:0",
                "--memory",
                "8MB",
                "--disk",
                folder.resolve("disk").toString(),
                "--archive",
                folder.resolve("store").toString(),
                "--token-file",
                token.toString(),
                "--metrics",
                "127.0.0.1:0")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = process.inputReader()) {
      String address = readAddress(lines);
      URI metrics = readMetrics(lines);
      assertThat(fetch(metrics))
          .contains("deepvm_anchor_memory_versions 0.0", "deepvm_anchor_connections 0.0");
      try (AnchorClient client = new AnchorClient(Values.address(address), Token.of(TOKEN))) {
        save(new RemoteTier("anchor", Level.REPLICATED, client), 5);
      }
      Screen listed =
          Screen.run(
              "checkpoint", "ls", "--store", "anchor:" + address, "--token-file", token.toString());
      assertThat(listed.out()).contains("restorable");
      String figures = fetch(metrics);
      while (!figures.contains("deepvm_anchor_disk_versions 1.0")
          || !figures.contains("deepvm_anchor_upload_waiting 0.0")) {
        figures = fetch(metrics);
      }
      assertThat(figures)
          .contains(
              "deepvm_anchor_memory_versions 1.0",
              "deepvm_anchor_flush_waiting 0.0",
              "deepvm_anchor_flush_failures_total 0.0",
              "deepvm_anchor_upload_failures_total 0.0")
          .containsPattern("deepvm_anchor_memory_bytes [1-9]")
          .containsPattern("deepvm_anchor_disk_bytes 1\\d{5}\\.0");
      process.toHandle().destroy();
      assertThat(lines.readLine()).isEqualTo("All is flushed.");
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(Screen.run("checkpoint", "verify", "--store", store()).out()).contains("sound");
  }

  private List<String> agent(String... more) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(),
                "checkpoint",
                "agent",
                "--to",
                store(),
                "--name",
                "resnet",
                "--memory",
                "4MiB"));
    command.addAll(List.of(more));
    return command;
  }

  private Process python(String script, List<String> arguments) throws IOException {
    Path system = Path.of("/usr/bin/python3");
    List<String> command = new ArrayList<>();
    command.add(Files.isExecutable(system) ? system.toString() : "python3");
    command.addAll(List.of("-c", script));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    Path root = Path.of(System.getProperty("deepvm.root", ".."));
    builder.environment().put("PYTHONPATH", root.resolve("clients/python").toString());
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    builder.environment().put("DEEPVM_AGENT", folder.resolve("own/a.sock").toString());
    try {
      return builder.start();
    } catch (IOException e) {
      assumeTrue(false, "There is no Python here; maybe 'apt install python3'.");
      throw e;
    }
  }

  @Test
  void anAgentSavesForAScriptUntilItIsToldToEnd() throws Exception {
    AnchorService anchor =
        new AnchorService(
            AnchorOptions.of(
                Values.address("127.0.0.1:0"), DataSize.parse("8MB"), folder.resolve("anchor")));
    anchor.start();
    String address = "127.0.0.1:" + anchor.address().getPort();
    Process agent =
        new ProcessBuilder(
                agent(
                    "--socket",
                    folder.resolve("own/a.sock").toString(),
                    "--anchor",
                    address,
                    "--metrics",
                    "127.0.0.1:0"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (anchor;
        BufferedReader lines = agent.inputReader()) {
      assertThat(lines.readLine()).startsWith("Agent on ");
      URI metrics = readMetrics(lines);
      assertThat(fetch(metrics))
          .contains("deepvm_checkpoint_saves_total{job=\"resnet\",worker=\"0\"} 0.0");
      Process script =
          python(
              """
              import deepcheck
              with deepcheck.connect() as dc:
                  ticket = dc.save(3, {"w": b"abc"})
                  print(ticket.wait("REPLICATED", 30), ticket.wait("DURABLE", 30))
              """,
              List.of());
      try (BufferedReader said = script.inputReader()) {
        assertThat(said.readLine()).isEqualTo("True True");
      } finally {
        script.destroyForcibly();
      }
      // also when the script has gone
      assertThat(fetch(metrics))
          .contains(
              "deepvm_checkpoint_saves_total{job=\"resnet\",worker=\"0\"} 1.0",
              "deepvm_checkpoint_last_durable_step{job=\"resnet\",worker=\"0\"} 3.0");
      agent.toHandle().destroy();
      assertThat(lines.readLine()).isEqualTo("All is written.");
      assertThat(agent.waitFor(30, TimeUnit.SECONDS)).isTrue();
      for (String store : List.of(store(), "anchor:" + address)) {
        assertThat(Screen.run("checkpoint", "ls", "--store", store, "--output", "csv").out())
            .contains("resnet,3,1,");
      }
    } finally {
      agent.destroyForcibly();
    }
  }

  @Test
  void anAgentThatAScriptStartedEndsWithItAndWritesWhatWasStaged() throws Exception {
    Process script =
        python(
            """
            import deepcheck, os, signal, sys
            dc = deepcheck.connect(command=sys.argv[1:])
            ticket = dc.save(8, {"w": bytes(1_000_000)})
            print(dc._process.pid, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
            """,
            agent());
    try (BufferedReader lines = script.inputReader()) {
      long pid = Long.parseLong(lines.readLine());
      Optional<ProcessHandle> agent = ProcessHandle.of(pid);
      if (agent.isPresent()) {
        agent.get().onExit().get(30, TimeUnit.SECONDS);
      }
    } finally {
      script.destroyForcibly();
    }
    assertThat(Screen.run("checkpoint", "verify", "--store", store(), "--output", "csv").out())
        .contains("resnet,8,1,", "sound");
  }

  private static String readAddress(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    assertThat(line).startsWith("Anchor on ");
    return line.substring("Anchor on ".length(), line.indexOf(','));
  }

  private static URI readMetrics(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    assertThat(line).startsWith("Metrics on http://127.0.0.1:");
    return URI.create(line.substring("Metrics on ".length()));
  }

  private static String fetch(URI metrics) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(metrics).timeout(Duration.ofSeconds(20)).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
