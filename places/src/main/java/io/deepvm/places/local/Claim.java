package io.deepvm.places.local;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file that says which process is the node. A process links its id there before it becomes the
 * node. The link either appears with the whole id or fails because another one is there. So at most
 * one process ever becomes the node, whenever coordinators end.
 */
final class Claim {

  /** In place of an id: no process may become the node any more. */
  private static final String NOBODY = "nobody";

  /**
   * Claims the folder that it runs in, prints the id of the process that has the claim, and becomes
   * the given command if that is its own.
   */
  private static final String SCRIPT =
      """
      id() { me="$$@${20}"; }
      read -r stat </proc/$$/stat && id ${stat##*) } && echo "$me" >"claim.$$" || exit 1
      ln "claim.$$" claim 2>/dev/null
      rm -f "claim.$$"
      read -r holder <claim || exit 1
      # A coordinator that has ended reads no more: that must end the subshell only.
      (echo "$holder")
      [ "$holder" = "$me" ] || exit 0
      exec "$@" >&2
      """;

  private final Path folder;

  /** The claim of the node that has this folder. */
  Claim(Path folder) {
    this.folder = folder;
  }

  /** Returns the command that claims its working folder and then becomes the given command. */
  static List<String> script() {
    return List.of("sh", "-c", SCRIPT, "node");
  }

  /** Whether a process has the claim, or none may have it. */
  boolean isMade() {
    return Files.exists(file());
  }

  /** Returns the process that has the claim; null if none has. */
  @Nullable ProcessId holder() throws IOException {
    try {
      String text = Files.readString(file()).strip();
      return text.equals(NOBODY) ? null : ProcessId.parse(text);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Makes sure that no process gets the claim that does not have it by now. */
  void forbid() throws IOException {
    PrivateFiles.folder(folder);
    Path mine = Files.createTempFile(folder, "claim.", "");
    try {
      Files.writeString(mine, NOBODY + "\n");
      Files.createLink(file(), mine);
    } catch (FileAlreadyExistsException e) {
      // A process has it.
    } finally {
      Files.delete(mine);
    }
  }

  private Path file() {
    return folder.resolve("claim");
  }
}
