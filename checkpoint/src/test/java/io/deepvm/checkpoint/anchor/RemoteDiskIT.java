package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.tier.Level;

/** So is its disk. */
class RemoteDiskIT extends RemoteTierIT {

  @Override
  Level level() {
    return Level.DURABLE;
  }
}
