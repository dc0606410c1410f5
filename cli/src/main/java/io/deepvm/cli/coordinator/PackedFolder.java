package io.deepvm.cli.coordinator;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Packs folders of runs, as tar does. */
final class PackedFolder {

  private PackedFolder() {}

  /** Packs a folder with its name into a file. */
  static void pack(Path folder, Path into) throws IOException {
    Path whole = folder.toAbsolutePath().normalize();
    run(
        List.of(
            "tar",
            "-C",
            String.valueOf(whole.getParent()),
            "-czf",
            into.toString(),
            String.valueOf(whole.getFileName())));
  }

  /** Unpacks a file into a folder. */
  static void unpack(Path packed, Path into) throws IOException {
    run(List.of("tar", "--no-same-owner", "-xzf", packed.toString(), "-C", into.toString()));
  }

  private static void run(List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(new ArrayList<>(command)).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("tar failed: " + said.strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }
}
