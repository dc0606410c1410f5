package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.util.UUID;

/**
 * What a transfer is: the id stands for exactly these bytes and is never used for others, the
 * generation is that of the group the sender belongs to.
 */
public record TransferHeader(UUID id, Name group, long generation, Name name, long length) {

  public TransferHeader {
    if (length < 0) {
      throw new BadInput(
          "The length of transfer " + name + " (" + length + ") is negative.",
          "Maybe an int overflowed; lengths have 64 bits.");
    }
    if (generation < 0) {
      throw new BadInput(
          "The generation of transfer " + name + " (" + generation + ") is negative.",
          "Maybe count generations from 0.");
    }
  }

  /** Whether the other header may be a second attempt at this transfer. */
  boolean sameBytesAs(TransferHeader other) {
    return id.equals(other.id)
        && group.equals(other.group)
        && name.equals(other.name)
        && length == other.length;
  }
}
