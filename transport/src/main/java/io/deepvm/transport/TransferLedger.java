package io.deepvm.transport;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * What an endpoint remembers of incoming transfers by id, over all its connections: those running,
 * those that came whole (so that a second attempt is a no-op) and how far the others came.
 */
final class TransferLedger {

  private static final int MOST_DELIVERED = 10_000;
  private static final int MOST_INTERRUPTED = 1_000;

  /** What is known of a transfer that someone wants to send. */
  sealed interface Claim {

    /** It is the claimant's now; an earlier attempt left this much. */
    record Granted(TransferProgress soFar) implements Claim {}

    /** It came whole before. */
    record Delivered(int crc32c) implements Claim {}

    /** Another attempt runs; claim again when that one has ended. */
    record Running(Incoming other, CompletableFuture<Void> ended) implements Claim {}

    /** The id stands for something else. */
    record Conflict(TransferHeader other) implements Claim {}
  }

  private record Attempt(Incoming incoming, CompletableFuture<Void> ended) {}

  private record Left(TransferHeader header, TransferProgress progress) {}

  private final Map<UUID, Attempt> running = new HashMap<>();
  private final Map<UUID, Left> delivered = bounded(MOST_DELIVERED);
  private final Map<UUID, Left> interrupted = bounded(MOST_INTERRUPTED);

  synchronized Claim claim(Incoming incoming) {
    TransferHeader header = incoming.header();
    Attempt other = running.get(header.id());
    if (other != null) {
      return header.sameBytesAs(other.incoming.header())
          ? new Claim.Running(other.incoming, other.ended)
          : new Claim.Conflict(other.incoming.header());
    }
    Left whole = delivered.get(header.id());
    if (whole != null) {
      return header.sameBytesAs(whole.header)
          ? new Claim.Delivered(whole.progress.crc32c())
          : new Claim.Conflict(whole.header);
    }
    Left part = interrupted.get(header.id());
    if (part != null && !header.sameBytesAs(part.header)) {
      return new Claim.Conflict(part.header);
    }
    running.put(header.id(), new Attempt(incoming, new CompletableFuture<>()));
    return new Claim.Granted(part == null ? TransferProgress.NONE : part.progress);
  }

  /** Notes how a claimed transfer ended. */
  void release(Incoming incoming, boolean whole, TransferProgress progress) {
    Attempt attempt;
    synchronized (this) {
      TransferHeader header = incoming.header();
      attempt = running.get(header.id());
      if (attempt == null || attempt.incoming != incoming) {
        return;
      }
      running.remove(header.id());
      interrupted.remove(header.id());
      if (whole) {
        delivered.put(header.id(), new Left(header, progress));
      } else if (progress.offset() > 0) {
        interrupted.put(header.id(), new Left(header, progress));
      }
    }
    attempt.ended.complete(null);
  }

  private static Map<UUID, Left> bounded(int most) {
    return new LinkedHashMap<>() {
      @Override
      protected boolean removeEldestEntry(Map.Entry<UUID, Left> eldest) {
        return size() > most;
      }
    };
  }
}
