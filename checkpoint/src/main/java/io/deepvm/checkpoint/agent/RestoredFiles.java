package io.deepvm.checkpoint.agent;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes checkpoints, or the tensors of them that a rank needs, into files for clients. */
final class RestoredFiles {

  private final Checkpoints checkpoints;
  private final String job;
  private final SharedFolder shared;

  RestoredFiles(Checkpoints checkpoints, String job, SharedFolder shared) {
    this.checkpoints = checkpoints;
    this.job = job;
    this.shared = shared;
  }

  /**
   * A checkpoint in a file of shared memory.
   *
   * @param ranks the number of ranks that saved it
   * @param problems what kept newer or nearer ones from being used
   */
  record Found(
      Version version, Path file, int ranks, Map<String, String> metadata, List<String> problems) {

    private static Found of(Restored restored, Path file, List<String> problems) {
      Manifest manifest = restored.manifest();
      return new Found(
          manifest.version(), file, manifest.shards().size(), manifest.metadata(0), problems);
    }
  }

  /**
   * Writes what is wanted of the newest version that is whole.
   *
   * @return null when there is no checkpoint at all
   */
  @Nullable Found restore(Wanted wanted) throws IOException {
    List<String> problems = new ArrayList<>();
    try {
      if (wanted.equals(Wanted.NEWEST)) {
        return newest();
      }
      Checkpoints.Listing listing = checkpoints.list(job);
      problems.addAll(listing.problems());
      for (Checkpoints.Listed listed : listing.checkpoints()) {
        if (wanted.takes(listed.version())) {
          Found found = part(listed, wanted, problems);
          if (found != null) {
            return found;
          }
        }
      }
    } catch (IOException e) {
      throw none(String.valueOf(e.getMessage()));
    }
    if (problems.isEmpty() && wanted.version() == null) {
      return null;
    }
    throw none(
        "No checkpoint of %s can be restored: %s".formatted(job, String.join("; ", problems)));
  }

  private static BadInput none(String reason) {
    return new BadInput(
        reason, "Maybe see 'deepvm checkpoint verify', or use another name to begin anew.");
  }

  private @Nullable Found newest() throws IOException {
    Path[] file = new Path[1];
    Restored restored =
        checkpoints.exportNewest(job, listed -> file[0] = shared.place("restored", listed.bytes()));
    return restored == null ? null : Found.of(restored, file[0], restored.passedOver());
  }

  /** Returns some tensors of a version; null if they cannot be had, for a reason that is added. */
  private @Nullable Found part(Checkpoints.Listed listed, Wanted wanted, List<String> problems)
      throws IOException {
    // a part is smaller than the whole
    Path file = shared.place("restored", wanted.names() == null ? 0 : listed.bytes());
    try {
      Restored restored =
          checkpoints.export(listed.version(), file, tensor -> wanted.takes(tensor.name()));
      List<String> all = new ArrayList<>(problems);
      all.addAll(restored.passedOver());
      Checkpoints.warn(restored, all);
      return Found.of(restored, file, all);
    } catch (IOException e) {
      problems.add("%s: %s".formatted(listed.version(), e.getMessage()));
      return null;
    }
  }
}
