package io.deepvm.workload;

import io.deepvm.base.DataSize;
import io.deepvm.catalog.Place;
import org.jspecify.annotations.Nullable;

/**
 * What every node loads before it trains; null where the job does not say.
 *
 * @param dataSet of which each node copies all of it to its disk
 * @param from the region of the object store that holds the data set; that of the nodes when null
 * @param image the container that the training runs in
 */
public record NodeFiles(
    @Nullable DataSize dataSet, @Nullable Place from, @Nullable DataSize image) {

  /** Nodes that load nothing. */
  public static final NodeFiles NONE = new NodeFiles(null, null, null);
}
