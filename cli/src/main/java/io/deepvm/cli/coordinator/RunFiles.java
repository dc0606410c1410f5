package io.deepvm.cli.coordinator;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files of a run that another machine needs to go on with it. */
record RunFiles(Path folder) {

  private static final String LOG = "events.jsonl";
  private static final String SETTINGS = "ssh.json";

  /** Says which generation saved the files that never change. */
  private static final String GENERATION = "constants";

  private static final List<String> CONSTANTS =
      List.of("run.json", "token", "job.yaml", "workdir.tar.gz");

  /** Returns the length of the log. */
  long logBytes() {
    try {
      return Files.size(folder.resolve(LOG));
    } catch (IOException e) {
      return 0;
    }
  }

  /** Returns the files that never change. */
  SortedMap<String, byte[]> constants() throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    for (String name : CONSTANTS) {
      if (Files.exists(folder.resolve(name))) {
        files.put(name, Files.readAllBytes(folder.resolve(name)));
      }
    }
    return files;
  }

  /** Returns the generation that saved the files that never change; 0 if none has. */
  long constantsOf() throws IOException {
    try {
      return Long.parseLong(Files.readString(folder.resolve(GENERATION)).strip());
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  void keepConstantsOf(long generation) {
    AtomicFile.writePrivate(folder.resolve(GENERATION), Long.toString(generation));
  }

  /** Returns the log, the hosts of nodes, and the settings without any way to log in. */
  SortedMap<String, byte[]> changing() throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>();
    // The log comes first: a node whose host is missing is found on the hosts.
    byte[] log = Files.readAllBytes(folder.resolve(LOG));
    files.put(LOG, whole(log));
    files.put(GENERATION, Files.readAllBytes(folder.resolve(GENERATION)));
    SshSettings settings = SshSettings.read(folder).withoutLogins(folder);
    files.put(SETTINGS, settings.json().getBytes(StandardCharsets.UTF_8));
    Path nodes = folder.resolve("nodes");
    if (!Files.isDirectory(nodes)) {
      return files;
    }
    try (Stream<Path> all = Files.list(nodes)) {
      for (Path node : all.toList()) {
        Path host = node.resolve("host");
        if (Files.exists(host)) {
          files.put("nodes/%s/host".formatted(node.getFileName()), Files.readAllBytes(host));
        }
      }
    }
    return files;
  }

  /** Returns the whole lines, where the last one may be half written. */
  private static byte[] whole(byte[] log) {
    int end = log.length;
    while (end > 0 && log[end - 1] != '\n') {
      end--;
    }
    return Arrays.copyOf(log, end);
  }

  /** Writes files into the folder, for this user alone. */
  void write(Map<String, byte[]> files) throws IOException {
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path path = folder.resolve(file.getKey());
      Path unused = PrivateFiles.folder(Objects.requireNonNull(path.getParent()));
      Files.write(PrivateFiles.create(path), file.getValue());
    }
  }

  /** Whether the run of copied files is over. */
  static boolean isOver(Map<String, byte[]> files) {
    byte[] log = files.getOrDefault(LOG, new byte[0]);
    try {
      Path copy = Files.createTempFile("deepvm-log", "");
      try {
        Files.write(copy, log);
        return RunStatus.of(EventLog.read(copy)).state().isEnd();
      } finally {
        Files.deleteIfExists(copy);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Refuses a folder that has a run already. */
  void requireNone() {
    if (Files.exists(folder.resolve("run.json"))) {
      throw new BadInput(
          "There is a run in %s already.".formatted(folder),
          "Maybe leave --from-store out, or name another --folder with the same last name.");
    }
  }
}
