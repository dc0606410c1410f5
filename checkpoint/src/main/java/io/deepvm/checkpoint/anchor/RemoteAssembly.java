package io.deepvm.checkpoint.anchor;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.Assembly;
import io.deepvm.checkpoint.WorkerPart;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.transport.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Meets the other workers at the first anchor that can be reached; all must be given the anchors in
 * the same order. When that anchor dies, the parts are handed in at the next.
 */
public final class RemoteAssembly implements Assembly {

  /** So often is a part handed in anew after its connection was lost. */
  private static final int ATTEMPTS = 5;

  private record Key(String tier, Version version, int worker) {}

  /** A part whose round has not ended. */
  private static final class Pending {
    private final WorkerPart part;
    private final Commit commit;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private volatile @Nullable Connection connection;
    private int attempts;

    Pending(WorkerPart part, Commit commit) {
      this.part = part;
      this.commit = commit;
    }
  }

  private final List<AnchorClient> anchors;
  private final Map<Key, Pending> pending = new ConcurrentHashMap<>();

  /** Meets at these anchors, the first one first. */
  public RemoteAssembly(List<AnchorClient> anchors) {
    if (anchors.isEmpty()) {
      throw new BadInput(
          "Workers cannot meet without an anchor.",
          "Maybe start one with 'deepvm checkpoint anchor'.");
    }
    this.anchors = List.copyOf(anchors);
    anchors.forEach(anchor -> anchor.listen(new News()));
  }

  @Override
  public CompletableFuture<Void> contribute(String tier, WorkerPart part, Commit commit) {
    Pending mine = new Pending(part, commit);
    Key key = new Key(tier, part.version(), part.worker());
    Pending earlier = pending.put(key, mine);
    if (earlier != null) {
      earlier.end.completeExceptionally(new IOException("The worker has handed in a later part."));
    }
    var unused = mine.end.whenComplete((nothing, problem) -> pending.remove(key, mine));
    handIn(tier, mine);
    return mine.end;
  }

  private void handIn(String tier, Pending mine) {
    IOException last = new IOException("No anchor was reached.");
    for (AnchorClient anchor : anchors) {
      try {
        Connection connection = anchor.connection();
        mine.connection = connection;
        Question question =
            Question.about(Verb.PART, Level.REPLICATED, 0, mine.part.version()).withText(tier);
        ByteBuffer bytes = ByteBuffer.wrap(Lists.of(mine.part));
        anchor.await(connection, question, anchor.send(connection, question, bytes));
        return;
      } catch (IOException | RuntimeException e) {
        mine.connection = null;
        last = new IOException(e.getMessage(), e);
      }
    }
    mine.end.completeExceptionally(last);
  }

  @Override
  public void withdraw(String tier, Version version, int worker, String reason) {
    Question question =
        Question.about(Verb.WITHDRAW, Level.REPLICATED, 0, version)
            .withText(tier)
            .withNumber(worker)
            .withReason(reason);
    for (AnchorClient anchor : anchors) {
      try {
        anchor.ask(anchor.connection(), question);
        return;
      } catch (IOException e) {
        // the next one; if none can be reached, the others' patience ends it
        System.getLogger(RemoteAssembly.class.getName())
            .log(System.Logger.Level.DEBUG, "{0}: {1}", anchor, e.toString());
      }
    }
  }

  /** What the anchors say. */
  private final class News implements AnchorClient.Listener {

    @Override
    public void assembled(String tier, Version version, int worker, Manifest manifest)
        throws IOException {
      Pending mine = pending.get(new Key(tier, version, worker));
      if (mine == null) {
        throw new IOException("Worker %d waits for %s no longer.".formatted(worker, version));
      }
      mine.commit.run(manifest);
    }

    @Override
    public void ended(String tier, Version version, int worker, String reason) {
      Pending mine = pending.get(new Key(tier, version, worker));
      if (mine != null && reason.isEmpty()) {
        mine.end.complete(null);
      } else if (mine != null) {
        mine.end.completeExceptionally(new IOException(reason));
      }
    }

    @Override
    public void lost(Connection connection) {
      pending.forEach(
          (key, mine) -> {
            if (mine.connection == connection) {
              if (++mine.attempts < ATTEMPTS) {
                handIn(key.tier, mine);
              } else {
                mine.end.completeExceptionally(
                    new IOException("The connection was lost %d times.".formatted(ATTEMPTS)));
              }
            }
          });
    }
  }
}
