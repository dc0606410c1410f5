package io.deepvm.studies.deepvm;

import io.deepvm.catalog.Offer;

/**
 * A CPU type that keeps checkpoints, as the artifact sees it beside one GPU type.
 *
 * @param limit the first number of nodes that is too many
 * @param saturation workers per remote at which the slower of the two links saturates
 */
record ArtifactRemote(Offer offer, double memoryGb, int limit, double saturation) {

  double onDemand() {
    return offer.pricePerHour().dollars();
  }
}
