package io.deepvm.trainer.job;

import io.deepvm.base.BadInput;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where and how often the state is saved.
 *
 * @param folder a folder that outlives the members
 * @param anchors addresses of anchors, host:port
 * @param tokenFile holds the secret that the anchors ask for
 * @param every after how many steps; 0 lets the measured cost and the revocations decide
 */
public record CheckpointSpec(
    @Nullable Path folder, List<String> anchors, @Nullable Path tokenFile, int every) {

  public CheckpointSpec {
    anchors = List.copyOf(anchors);
    if (folder == null && anchors.isEmpty()) {
      throw new BadInput(
          "The checkpoints have no place to go.", "Maybe name a folder, or anchors.");
    }
    if (every < 0) {
      throw new BadInput(
          "Saving every %d steps is not possible.".formatted(every), "Maybe write every: auto.");
    }
  }
}
