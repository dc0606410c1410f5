package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;

/** A number of equal peers in one place. */
public record PeerGroup(Peer peer, int count) {

  public PeerGroup {
    if (count < 1) {
      throw new BadInput(
          "The group of %s has %d peers, which is less than 1.".formatted(peer, count),
          "Maybe leave the group out.");
    }
  }

  @Override
  public String toString() {
    return "%d x %s".formatted(count, peer);
  }
}
