package io.deepvm.transport;

import io.deepvm.base.BadInput;
import io.deepvm.transport.TransferOutcome.Status;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Compares an incoming transfer with what this endpoint has seen: other attempts with the same id,
 * and newer generations of its group.
 */
final class Acceptance {

  private final Connection connection;
  private final Endpoint endpoint;
  private final Incoming incoming;
  private final TransferHeader header;
  private final IncomingOwner owner;

  Acceptance(Connection connection, Incoming incoming, TransferHeader header, IncomingOwner owner) {
    this.connection = connection;
    this.endpoint = connection.endpoint();
    this.incoming = incoming;
    this.header = header;
    this.owner = owner;
  }

  /** Asks the owner what to do with the transfer, and begins or ends it. */
  void decide() {
    try {
      TransferProgress soFar = owner.fenced() ? claim() : TransferProgress.NONE;
      if (soFar != null) {
        obey(owner.decide(header, soFar));
      }
    } catch (BadInput e) {
      incoming.finish(Status.REFUSED, true, e.getMessage() + "\n" + e.wayOut());
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      incoming.finish(Status.FAILED, true, "The receiver could not decide: " + e);
    }
  }

  private void obey(Decision decision) {
    if (decision instanceof Decision.Into into) {
      incoming.begin(into.from(), new Segments(into.targets()), into.arrival());
    } else if (decision instanceof Decision.Through through) {
      incoming.begin(through.from(), through.sink());
    } else if (decision instanceof Decision.Refuse refuse) {
      incoming.finish(Status.REFUSED, true, refuse.reason());
    } else {
      incoming.setHeld(new TransferProgress(header.length(), 0));
      incoming.finish(Status.DUPLICATE, true, "");
    }
  }

  /** Returns what an earlier attempt left; null when this one has ended or has to wait. */
  private @Nullable TransferProgress claim() {
    if (isStale()) {
      return null;
    }
    TransferLedger.Claim claim = endpoint.ledger().claim(incoming);
    if (claim instanceof TransferLedger.Claim.Granted granted) {
      return incoming.setHeld(granted.soFar());
    }
    if (claim instanceof TransferLedger.Claim.Delivered delivered) {
      incoming.setHeld(new TransferProgress(header.length(), delivered.crc32c()));
      incoming.finish(Status.DUPLICATE, true, "");
    } else if (claim instanceof TransferLedger.Claim.Conflict conflict) {
      incoming.finish(
          Status.REFUSED,
          true,
          "The id %s stands for another transfer, %s of %d bytes."
              .formatted(header.id(), conflict.other().name(), conflict.other().length()));
    } else if (claim instanceof TransferLedger.Claim.Running running) {
      running.other().finish(Status.CANCELLED, true, "A later attempt took over.");
      var unused = running.ended().thenRun(() -> connection.execute(incoming::decide));
    }
    return null;
  }

  /** Ends the transfer if a newer generation of the group has been seen; returns whether it did. */
  private boolean isStale() {
    long newest = endpoint.options().generations().raise(header.group(), header.generation());
    if (newest > header.generation()) {
      incoming.finish(
          Status.STALE,
          false,
          "Generation %d of group %s is older than generation %d, which was seen here."
              .formatted(header.generation(), header.group(), newest));
      return true;
    }
    return false;
  }

  /** Returns the newest generation of the group that was seen here. */
  long newestGeneration() {
    return endpoint.options().generations().newest(header.group());
  }

  /** Notes how the transfer ended, for later attempts. */
  void release(TransferOutcome outcome) {
    boolean isPart = outcome.status() != Status.DUPLICATE;
    endpoint
        .ledger()
        .release(
            incoming,
            outcome.status() == Status.DELIVERED,
            isPart ? outcome.acknowledged() : TransferProgress.NONE);
  }
}
