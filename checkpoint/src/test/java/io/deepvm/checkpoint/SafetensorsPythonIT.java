package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.ShardName;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A reader in another language, written from the format's description, finds the same tensors. */
@Timeout(60)
class SafetensorsPythonIT {

  private static final String READER =
      """
      import json, struct, sys, zlib
      data = open(sys.argv[1], 'rb').read()
      (length,) = struct.unpack('<Q', data[:8])
      header = json.loads(data[8:8 + length])
      metadata = header.pop('__metadata__')
      assert all(isinstance(v, str) for v in metadata.values())
      body = data[8 + length:]
      assert data[8:9] == b'{' and (8 + length) % 8 == 0
      end = 0
      for name, entry in sorted(header.items(), key=lambda e: e[1]['data_offsets']):
          a, b = entry['data_offsets']
          assert a == end
          end = b
          print(name, entry['dtype'], entry['shape'], '%08x' % zlib.crc32(body[a:b]), sep='|')
      assert end == len(body)
      """;

  @TempDir Path folder;

  @Test
  void theFileOfOneWorkerIsPlainSafetensors() throws Exception {
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, folder);
    Ticket ticket;
    try (CheckpointEngine engine =
        new CheckpointEngine(
            EngineOptions.of("job", SharedClaim.of(1), DataSize.parse("4MiB")), List.of(disk))) {
      engine.start();
      ticket = engine.save(5, TrainingState.replicated(States.at(5, States.mixed())), Map.of());
      assertThat(ticket.await(Level.DURABLE, Duration.ofSeconds(30))).isTrue();
    }
    Path file =
        folder
            .resolve("job")
            .resolve(ticket.version().folder())
            .resolve(new ShardName(0, 1).file());
    List<String> expected = new ArrayList<>();
    for (Slice slice : States.at(5, States.mixed())) {
      CRC32 crc = new CRC32();
      crc.update(slice.data().get(0));
      expected.add(
          String.format(
              Locale.ROOT,
              "%s|%s|%s|%08x",
              slice.tensor().name(),
              slice.tensor().dtype(),
              slice.tensor().shape(),
              crc.getValue()));
    }
    assertThat(python(file)).containsExactlyInAnyOrderElementsOf(expected);
    Path merged = folder.resolve("merged.safetensors");
    new Checkpoints(List.of(disk), 2).export(ticket.version(), merged);
    assertThat(python(merged)).containsExactlyInAnyOrderElementsOf(expected);
  }

  private static List<String> python(Path file) throws IOException, InterruptedException {
    Process process;
    try {
      process =
          new ProcessBuilder("python3", "-c", READER, file.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
    } catch (IOException e) {
      assumeTrue(false, "there is no python3");
      throw e;
    }
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    return out.lines().toList();
  }
}
