package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Works on the requests and fetches of the other side, a bounded number at a time. A request counts
 * until its answer has been written, so that a peer which does not read cannot fill the memory.
 */
final class Serving {

  private interface Work {
    void run() throws IOException;
  }

  private final Connection connection;
  private final Handler handler;
  private final Limits limits;
  private final AtomicInteger underway = new AtomicInteger();

  Serving(Connection connection, Handler handler, Limits limits) {
    this.connection = connection;
    this.handler = handler;
    this.limits = limits;
  }

  /** Has the handler answer a request. */
  void answer(int number, byte[] question) {
    work(
        number,
        () -> {
          byte[] answer = handler.answer(connection, question);
          Limits.check("answer", answer.length, limits.messageBytes());
          post(Frame.Type.ANSWER, number, ByteBuffer.wrap(answer));
        });
  }

  /** Has the handler find what the other side fetches, and begins to send it. */
  void fetch(int number, Name name) {
    work(
        number,
        () -> {
          connection.checkRoomToSend();
          Source source = handler.outgoing(connection, name);
          connection.start(
              new TransferHeader(UUID.randomUUID(), Name.NONE, 0, name, source.length()),
              source,
              number);
          release();
        });
  }

  private void work(int number, Work work) {
    if (underway.incrementAndGet() > limits.requests()) {
      refuse(number, "More requests at a time are not taken.");
      return;
    }
    connection.execute(
        () -> {
          try {
            work.run();
          } catch (BadInput e) {
            refuse(number, e.getMessage() + "\n" + e.wayOut());
          } catch (IOException | RuntimeException | Error e) {
            refuse(number, "The other side failed: " + e);
          }
        });
  }

  private void refuse(int number, String reason) {
    post(Frame.Type.REFUSAL, number, Payload.reason(reason));
  }

  private void post(Frame.Type type, int number, ByteBuffer payload) {
    connection.outbox().post(Frame.of(type, number, 0, payload), payload, this::release);
  }

  private void release() {
    underway.decrementAndGet();
  }
}
