package io.deepvm.places.slurm;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The file that says which job is the node. A job links its id there before it becomes the node, so
 * at most one job ever does, however often the order was submitted.
 */
final class JobClaim {

  /** In place of an id: no job may become the node any more. */
  static final String NOBODY = "nobody";

  private final Path folder;

  /** The claim of the node that has this folder. */
  JobClaim(Path folder) {
    this.folder = folder;
  }

  /** Returns the lines of a job's script that claim the folder, or end the job. */
  static String script() {
    return """
        echo "$SLURM_JOB_ID" >"claim.$SLURM_JOB_ID" || exit 1
        ln "claim.$SLURM_JOB_ID" claim 2>/dev/null
        rm -f "claim.$SLURM_JOB_ID"
        read -r holder <claim && [ "$holder" = "$SLURM_JOB_ID" ] || exit 0
        """;
  }

  /** Returns the job that is the node, {@link #NOBODY}, or null if none is yet. */
  @Nullable String holder() throws IOException {
    try {
      return Files.readString(file()).strip();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Makes sure that no job becomes the node that is not the node by now. */
  void forbid() throws IOException {
    PrivateFiles.folder(folder);
    Path mine = Files.createTempFile(folder, "claim.", "");
    try {
      Files.writeString(mine, NOBODY + "\n");
      Files.createLink(file(), mine);
    } catch (FileAlreadyExistsException e) {
      // A job has it.
    } finally {
      Files.delete(mine);
    }
  }

  private Path file() {
    return folder.resolve("claim");
  }
}
