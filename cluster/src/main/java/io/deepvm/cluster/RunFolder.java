package io.deepvm.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import io.deepvm.transport.Role;
import io.deepvm.transport.Secrets;
import io.deepvm.transport.TokenFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where a run lives: what was asked, what happened, its token and what its nodes printed. */
public final class RunFolder {

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  /**
   * The folders that this process holds. The kernel drops a lock when its process closes any
   * channel of the file. So a test whether a folder is held must not open the file.
   */
  private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

  private final Path path;

  private RunFolder(Path path) {
    this.path = path.toAbsolutePath().normalize();
  }

  /** Whether the folder has a run. */
  public static boolean exists(Path path) {
    return Files.exists(new RunFolder(path).specFile());
  }

  /** Refuses a folder that has a run already: whatever is written there would be that run's. */
  static void requireNone(Path path) {
    if (exists(path)) {
      throw new BadInput(
          "There is a run in %s already.".formatted(path),
          "Maybe resume it, or choose another folder.");
    }
  }

  /** Makes the folder of a new run. */
  static RunFolder create(Path path, RunSpec spec) throws IOException {
    requireNone(path);
    RunFolder folder = new RunFolder(path);
    PrivateFiles.folder(folder.path.resolve("nodes"));
    TokenFile.create(folder.tokenFile());
    Path fresh = folder.path.resolve("run.json.new");
    PrivateFiles.write(fresh, JSON.writeValueAsString(spec));
    Files.move(fresh, folder.specFile(), StandardCopyOption.ATOMIC_MOVE);
    return folder;
  }

  /** Makes the folder of a new run that another process will coordinate. */
  public static void prepare(Path path, RunSpec spec) throws IOException {
    PrivateFiles.write(create(path, spec).events(), "");
  }

  /** Removes what {@link #create} made, for a run that was refused before anything happened. */
  void forget() throws IOException {
    for (String name :
        List.of("run.json", "token", "worker.token", "events.jsonl", "port", "lock", "nodes")) {
      Files.deleteIfExists(path.resolve(name));
    }
    try (Stream<Path> left = Files.list(path)) {
      if (left.findAny().isEmpty()) {
        Files.delete(path);
      }
    }
  }

  /** Opens the folder of a run. */
  public static RunFolder of(Path path) {
    RunFolder folder = new RunFolder(path);
    if (!Files.exists(folder.specFile())) {
      throw new BadInput(
          "There is no run in %s.".formatted(path), "Maybe name the folder that has run.json.");
    }
    return folder;
  }

  /** Reads what was asked. */
  public RunSpec spec() throws IOException {
    try {
      return JSON.readValue(Files.readString(specFile()), RunSpec.class);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "%s cannot be read: %s.".formatted(specFile(), e.getOriginalMessage()),
          "Maybe the file was edited, or is of a newer DeepVM.");
    }
  }

  /** The folder itself. */
  public Path path() {
    return path;
  }

  /** The file with the token of all roles of the run, which only the user can read. */
  private Path tokenFile() {
    return path.resolve("token");
  }

  /** The file with the secrets of the run's workers, which only the user can read. */
  public Path workerTokenFile() {
    return path.resolve("worker.token");
  }

  /** Writes the secrets of the workers, also for a run of an earlier release. */
  public void writeWorkerToken() throws IOException {
    TokenFile.derive(tokenFile(), Role.WORKER, workerTokenFile());
  }

  /** The log of what happened. */
  public Path events() {
    return path.resolve("events.jsonl");
  }

  /** Where a node's agent and training process write. */
  public Path node(String node) {
    return path.resolve("nodes").resolve(node);
  }

  /** Returns the secrets of the run, which are read again when the file has changed. */
  public Secrets secrets() {
    return new TokenFile(tokenFile());
  }

  /**
   * Returns the port where the last coordinator listened, so that agents find the next one; or 0.
   */
  public int port() throws IOException {
    try {
      return Integer.parseInt(Files.readString(path.resolve("port")).strip());
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  /** Keeps the port where the coordinator listens. */
  public void keepPort(int port) throws IOException {
    put("port", Integer.toString(port));
  }

  /** Writes a file that is there with all of its text or not at all. */
  private void put(String name, String text) throws IOException {
    Path fresh = path.resolve("%s.%s.new".formatted(name, UUID.randomUUID()));
    try {
      PrivateFiles.write(fresh, text);
      Files.move(
          fresh,
          path.resolve(name),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** Asks the coordinator, whichever process it is, to end the run. */
  void askToStop(String reason) throws IOException {
    put("stop", reason);
  }

  /** Returns why the run should end; null when nobody asked for it. */
  public @Nullable String stopAsked() throws IOException {
    try {
      String reason = Files.readString(path.resolve("stop")).strip();
      return reason.isEmpty() ? "asked to stop" : reason;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Returns the only hold on the folder, which ends with the process; null when it is held. */
  public @Nullable Hold hold() throws IOException {
    Path real = path.toRealPath();
    if (!HELD.add(real)) {
      return null;
    }
    try {
      Path lock = real.resolve("lock");
      Hold hold = new Hold(real, PrivateFiles.openLock(lock));
      if (hold.file().tryLock() != null) {
        return hold;
      }
      hold.close();
      return null;
    } catch (IOException e) {
      HELD.remove(real);
      throw e;
    }
  }

  private Path specFile() {
    return path.resolve("run.json");
  }

  /** The only hold on a folder. */
  public record Hold(Path folder, FileChannel file) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      // A second close must not end a hold that came after this one.
      if (file.isOpen()) {
        try {
          file.close();
        } finally {
          HELD.remove(folder);
        }
      }
    }
  }
}
