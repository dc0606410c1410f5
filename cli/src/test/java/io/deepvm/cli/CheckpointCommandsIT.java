package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.transport.Token;
import io.deepvm.units.DataSize;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class CheckpointCommandsIT {

  private static final String TOKEN = "0123456789abcdef0123456789abcdef";

  @TempDir Path folder;

  private static void save(Tier tier, long step) throws InterruptedException {
    Slice slice =
        Slice.whole(new TensorSpec("w", DType.U8, List.of(100_000L)), ByteBuffer.allocate(100_000));
    try (CheckpointEngine engine =
        new CheckpointEngine(
            EngineOptions.of("resnet", 1, DataSize.parse("4MiB")), List.of(tier))) {
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
  void mistakesAreExplained() {
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
  }

  @Test
  void anAnchorRunsUntilItIsToldToEndAndFlushesFirst() throws Exception {
    Path token = Files.writeString(folder.resolve("token"), TOKEN + "\n");
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
                token.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = process.inputReader()) {
      String address = readAddress(lines);
      try (AnchorClient client = new AnchorClient(Values.address(address), Token.of(TOKEN))) {
        save(new RemoteTier("anchor", Level.REPLICATED, client), 5);
      }
      Screen listed =
          Screen.run(
              "checkpoint", "ls", "--store", "anchor:" + address, "--token-file", token.toString());
      assertThat(listed.out()).contains("restorable");
      process.toHandle().destroy();
      assertThat(lines.readLine()).isEqualTo("All is flushed.");
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(Screen.run("checkpoint", "verify", "--store", store()).out()).contains("sound");
  }

  private static String readAddress(BufferedReader lines) throws IOException {
    String line = lines.readLine();
    assertThat(line).startsWith("Anchor on ");
    return line.substring("Anchor on ".length(), line.indexOf(','));
  }
}
