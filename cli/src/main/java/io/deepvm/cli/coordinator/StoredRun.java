package io.deepvm.cli.coordinator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import io.deepvm.checkpoint.Stores;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a run keeps copies of its log; kept in the run's folder.
 *
 * @param store a folder, or the address of an object store
 * @param name the run's name there
 * @param claim the right to write there; null before the first coordinator
 */
public record StoredRun(String store, String name, @Nullable String claim) {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String FILE = "store.json";

  /** Returns a run that no coordinator has claimed, with a folder's whole path. */
  public static StoredRun of(String store, String name) {
    boolean address = Stores.isAddress(store);
    return new StoredRun(
        address ? store : Path.of(store).toAbsolutePath().normalize().toString(), name, null);
  }

  StoredRun with(Claim other) {
    return new StoredRun(store, name, other.toString());
  }

  /** Returns the name of the copies of the log. */
  String log() {
    return name + ".log";
  }

  /** Returns the name of what never changes: the working folder, the job, the token. */
  String constants() {
    return name + ".files";
  }

  /** Opens the store; a folder is made. */
  Tier open() throws IOException {
    if (Stores.isAddress(store)) {
      return Stores.open("store", store);
    }
    return new DirectoryTier("store", Level.DURABLE, PrivateFiles.folder(Path.of(store)));
  }

  /** Keeps it in the run's folder. */
  public void write(Path folder) throws IOException {
    AtomicFile.writePrivate(folder.resolve(FILE), JSON.writeValueAsString(this));
  }

  /** Reads it from the run's folder; null if the run has no store. */
  static @Nullable StoredRun read(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    if (!Files.exists(file)) {
      return null;
    }
    try {
      return JSON.readValue(Files.readString(file), StoredRun.class);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "%s cannot be read: %s.".formatted(file, e.getOriginalMessage()),
          "Maybe the file was edited, or is of a newer DeepVM.");
    }
  }
}
