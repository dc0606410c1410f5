package io.deepvm.cli.run;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.base.PrivateFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Packs a working folder: all of it, or in a git repository what git does not ignore. */
final class Workdir {

  private Workdir() {}

  /**
   * Packs the folder into a file of the run.
   *
   * @param run the run's folder, which is left out
   */
  static Path pack(Path folder, Path run) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new BadInput(
          "--workdir: '%s' is not a folder.".formatted(folder), "Maybe the path is wrong.");
    }
    Path root = folder.toAbsolutePath().normalize();
    Path own = run.toAbsolutePath().normalize();
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    for (String name : files(root)) {
      Path file = root.resolve(name);
      // git also lists files that were deleted since.
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !file.startsWith(own)) {
        names.write(("./" + name + "\0").getBytes(StandardCharsets.UTF_8));
      }
    }
    Path packed = PrivateFiles.create(run.resolve("workdir.tar.gz"));
    List<String> tar =
        List.of(
            "tar",
            "-C",
            root.toString(),
            "--null",
            "--no-recursion",
            "-T",
            "-",
            "-czf",
            packed.toString());
    byte[] unused = run(tar, names.toByteArray());
    return packed;
  }

  private static List<String> files(Path root) throws IOException {
    try {
      String listed =
          new String(
              run(
                  List.of("git", "-C", root.toString(), "ls-files", "-coz", "--exclude-standard"),
                  new byte[0]),
              StandardCharsets.UTF_8);
      return Stream.of(listed.split("\0", -1)).filter(name -> !name.isEmpty()).toList();
    } catch (IOException e) {
      // Not a repository, or no git here.
      List<String> all = new ArrayList<>();
      try (Stream<Path> walk = Files.walk(root)) {
        walk.filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
            .forEach(path -> all.add(root.relativize(path).toString()));
      }
      return all;
    }
  }

  private static byte[] run(List<String> command, byte[] input) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    DaemonThreads.start(
        "workdir",
        () -> {
          try (OutputStream out = process.getOutputStream()) {
            out.write(input);
          } catch (IOException e) {
            // Its exit code says what happened.
          }
        });
    byte[] out = process.getInputStream().readAllBytes();
    try {
      if (process.waitFor() != 0) {
        throw new IOException("'%s' failed.".formatted(command.get(0)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
    return out;
  }
}
