package io.deepvm.transport;

import io.deepvm.transport.TransferOutcome.Status;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The requests and fetches of this side that the other side has not answered. */
final class OpenRequests {

  /** Exactly one of answer and fetch is there. */
  private record Open(
      long since, @Nullable CompletableFuture<byte[]> answer, @Nullable Fetching fetch) {}

  private final Executor workers;
  private final Map<Integer, Open> open = new ConcurrentHashMap<>();

  OpenRequests(Executor workers) {
    this.workers = workers;
  }

  /** Adds a request and returns where its answer comes. */
  CompletableFuture<byte[]> add(int number, long now) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    open.put(number, new Open(now, answer, null));
    return answer;
  }

  /** Adds a fetch, which its handle may cancel. */
  void add(int number, long now, Fetching fetch) {
    fetch
        .handle()
        .cancelBy(
            reason -> {
              if (open.remove(number) != null) {
                fetch.fail(Status.CANCELLED, reason);
              }
            });
    open.put(number, new Open(now, null, fetch));
  }

  /** Ends a request with its answer; does nothing if it has ended. */
  void answer(int number, byte[] bytes) {
    Open request = open.remove(number);
    CompletableFuture<byte[]> answer = request == null ? null : request.answer();
    if (answer != null) {
      workers.execute(() -> answer.complete(bytes));
    }
  }

  /** Returns a fetch whose transfer begins, and forgets it; null if it has ended. */
  @Nullable Fetching takeFetch(int number) {
    Open request = open.remove(number);
    return request == null ? null : request.fetch();
  }

  /** Ends a request or fetch with a reason; does nothing if it has ended. */
  void fail(int number, Status status, IOException reason) {
    Open request = open.remove(number);
    if (request == null) {
      return;
    }
    workers.execute(
        () -> {
          if (request.answer() != null) {
            request.answer().completeExceptionally(reason);
          }
          if (request.fetch() != null) {
            request.fetch().fail(status, String.valueOf(reason.getMessage()));
          }
        });
  }

  /** Ends all because the connection has ended. */
  void interruptAll(String reason) {
    open.keySet().forEach(number -> fail(number, Status.INTERRUPTED, new IOException(reason)));
  }

  /** Ends those that have waited too long. */
  void tick(long now, Duration longest) {
    open.forEach(
        (number, request) -> {
          if (now - request.since() > longest.toNanos()) {
            fail(
                number,
                Status.TIMED_OUT,
                new SocketTimeoutException("No answer came within " + longest.toMillis() + " ms."));
          }
        });
  }
}
