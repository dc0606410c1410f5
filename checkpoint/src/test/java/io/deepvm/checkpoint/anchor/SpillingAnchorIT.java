package io.deepvm.checkpoint.anchor;

/** So is one whose memory is too small for nearly everything. */
class SpillingAnchorIT extends RemoteTierIT {

  @Override
  String memory() {
    return "16KiB";
  }
}
