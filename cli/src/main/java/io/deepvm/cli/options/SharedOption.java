package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Whether a store or a run is for its user alone or for a group. */
public final class SharedOption {

  @Option(
      names = "--shared",
      description =
          "Let the group of the folder read, write and lock all in it (default: you alone).")
  private boolean shared;

  /** Returns a store's folder to write into; it is made later unless it is shared. */
  public Path store(String text) throws IOException {
    Path folder = GivenPath.folder(text);
    return shared ? PrivateFiles.share(folder) : folder;
  }

  /** Makes a run's folder. */
  public void run(Path folder) throws IOException {
    if (shared) {
      PrivateFiles.share(folder);
    } else {
      PrivateFiles.folder(folder);
    }
  }

  /** Refuses the option for a place whose rights are not those of files. */
  public void refuseFor(String store) {
    if (shared) {
      throw new BadInput(
          "--shared is for folders, and %s is none.".formatted(store),
          "Maybe give others access by the policy of the bucket.");
    }
  }
}
