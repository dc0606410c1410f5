package io.deepvm.checkpoint.simulation;

import io.deepvm.transport.Decision;
import io.deepvm.transport.Name;
import io.deepvm.transport.Role;
import io.deepvm.transport.Source;
import io.deepvm.transport.TransferHeader;
import io.deepvm.transport.TransferOutcome.Status;
import io.deepvm.transport.TransferProgress;
import io.deepvm.transport.TransportOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * One side of a connection between two simulated processes; stands for the transport's {@code
 * Connection}. Nothing is lost on a connection that goes on: what is lost ends it, before or after
 * the other side has acted, or a reply comes later than anyone waits.
 */
public final class SimulatedConnection implements AutoCloseable {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  /** A dead or silent peer is noticed within this time. */
  static final long SILENCE = 10 * SECOND;

  /** Serves one message at the other side. */
  private interface Service {
    void run() throws IOException;
  }

  private final SimulatedProcess process;
  private final SimulatedHandler handler;
  private final TransportOptions options;
  private final InetSocketAddress remote;
  private final Set<Consumer<String>> pending = new LinkedHashSet<>();
  private SimulatedConnection peer;
  private boolean ended;
  private String endReason = "";

  SimulatedConnection(
      SimulatedProcess process,
      SimulatedHandler handler,
      TransportOptions options,
      InetSocketAddress remote) {
    this.process = process;
    this.handler = handler;
    this.options = options;
    this.remote = remote;
  }

  static void join(SimulatedConnection a, SimulatedConnection b) {
    a.peer = b;
    b.peer = a;
    a.process.world().connections().add(a);
  }

  SimulatedProcess process() {
    return process;
  }

  SimulatedConnection peer() {
    return peer;
  }

  /** Returns the address of the other side. */
  public InetSocketAddress remote() {
    return remote;
  }

  /** Returns no role: there are no secrets. */
  public Role role() {
    return null;
  }

  /** Returns whether it has not ended. */
  public boolean isOpen() {
    return !ended;
  }

  /** Returns why it has ended; empty before. */
  public String endReason() {
    return endReason;
  }

  /** Ends it at once. */
  @Override
  public void close() {
    end("This side closed.");
  }

  /** Ends both sides, and all that is under way on them. */
  void end(String reason) {
    if (!ended) {
      process.world().event(process.name(), "connection to " + remote + " ends: " + reason);
      process.world().connections().remove(this);
      process.world().connections().remove(peer);
      endSide(reason);
      peer.endSide(reason);
    }
  }

  private void endSide(String reason) {
    ended = true;
    endReason = reason;
    for (Consumer<String> each : List.copyOf(pending)) {
      each.accept(reason);
    }
    pending.clear();
    if (!process.isDead()) {
      process.start("closed", () -> handler.closed(this, reason));
    }
  }

  private Faults faults() {
    return process.world().faults();
  }

  /** Has a message served by the other side's process, unless the seed wants it lost. */
  private void deliver(String what, Service service) {
    SimulatedThread.current().checkAlive();
    if (process.world().isCut(process, remote.getPort())
        || faults().happens(Faults.Kind.LOST_REQUEST)) {
      process.world().event(process.name(), "request lost: " + what);
      endLater();
      return;
    }
    if (peer.process.isDead()) {
      // whoever noticed the death ends the connection
      return;
    }
    peer.process.start("serve", () -> serve(what, service));
  }

  /** Ends it once this side has noticed that the other one is silent. */
  void endLater() {
    if (!process.isDead()) {
      process.start(
          "silence",
          () -> {
            World world = process.world();
            world.sleep(world.faults().random().nextLong(SILENCE));
            end("Nothing was received for a while.");
          });
    }
  }

  private void serve(String what, Service service) {
    World world = process.world();
    world.sleep(faults().random().nextLong(2 * MILLI));
    if (ended) {
      return;
    }
    world.event(peer.process.name(), "serves " + process.name() + ": " + what);
    try {
      service.run();
    } catch (IOException e) {
      // the service has ended what it was about
      world.event(peer.process.name(), "refuses " + process.name() + ": " + e.getMessage());
    } catch (OutOfMemoryError e) {
      end("The reader failed: " + e);
    }
  }

  /** Returns whether a reply gets through; if not, the connection is about to end. */
  private boolean replies(String what) {
    if (ended) {
      return false;
    }
    if (faults().happens(Faults.Kind.LOST_REPLY)) {
      process.world().event(peer.process.name(), "reply lost: " + what);
      peer.endLater();
      return false;
    }
    return true;
  }

  /** Asks a small question. */
  public CompletableFuture<byte[]> request(byte[] question) {
    SimulatedFuture<byte[]> answer = new SimulatedFuture<>();
    if (ended) {
      answer.completeExceptionally(new IOException(endReason));
      return answer;
    }
    Consumer<String> breakOff = reason -> answer.completeExceptionally(new IOException(reason));
    pending.add(breakOff);
    var unused = answer.whenComplete((bytes, problem) -> pending.remove(breakOff));
    String what = "request " + question[0];
    boolean late = faults().happens(Faults.Kind.LATE_REPLY);
    deliver(
        what,
        () -> {
          byte[] reply = null;
          IOException refusal = null;
          try {
            reply = peer.handler.answer(peer, question);
          } catch (IOException | RuntimeException e) {
            refusal = new IOException(String.valueOf(e.getMessage()));
          }
          if (late) {
            process.world().event(peer.process.name(), "reply late: " + what);
            process.world().sleep(options.timeouts().request().toNanos() + SECOND);
            answer.completeExceptionally(new SocketTimeoutException("No answer came in time."));
          }
          if (!replies(what)) {
            return;
          }
          if (refusal == null) {
            answer.complete(reply);
          } else {
            answer.completeExceptionally(refusal);
            throw refusal;
          }
        });
    return answer;
  }

  /** Sends the remaining bytes of these buffers. */
  public SimulatedTransfer send(TransferHeader header, ByteBuffer... buffers) {
    return send(header, Source.of(buffers));
  }

  /** Sends a transfer. */
  public SimulatedTransfer send(TransferHeader header, Source source) {
    SimulatedTransfer transfer = new SimulatedTransfer();
    if (ended) {
      transfer.end(Status.INTERRUPTED, endReason);
      return transfer;
    }
    byte[] bytes;
    try {
      bytes = bytes(source);
    } catch (IOException e) {
      transfer.end(Status.FAILED, e.toString());
      return transfer;
    }
    watch(transfer);
    deliver(
        "transfer of " + bytes.length + " bytes",
        () -> {
          if (!transfer.hasEnded()) {
            receive(header, bytes, transfer);
          }
        });
    return transfer;
  }

  private void watch(SimulatedTransfer transfer) {
    Consumer<String> breakOff = reason -> transfer.end(Status.INTERRUPTED, reason);
    pending.add(breakOff);
    var unused = transfer.outcome().whenComplete((end, problem) -> pending.remove(breakOff));
  }

  /** Runs at the receiver. */
  private void receive(TransferHeader header, byte[] bytes, SimulatedTransfer transfer)
      throws IOException {
    SimulatedHandler there = peer.handler;
    boolean accepted = false;
    try {
      if (!header.group().equals(Name.NONE)
          && Hooks.raise(peer.options.generations(), header.group(), header.generation())
              > header.generation()) {
        tell(transfer, Status.STALE, "A newer generation was seen here.");
        return;
      }
      Decision decision = there.incoming(peer, header, TransferProgress.NONE);
      if (decision instanceof Decision.Refuse refuse) {
        tell(transfer, Status.REFUSED, refuse.reason());
        return;
      }
      accepted = true;
      if (!put(decision, bytes, transfer)) {
        there.interrupted(peer, header, TransferProgress.NONE, Status.INTERRUPTED, "It broke off.");
        return;
      }
      there.received(peer, header, 0);
      tell(transfer, Status.DELIVERED, "");
    } catch (IOException | RuntimeException e) {
      if (accepted) {
        there.interrupted(peer, header, TransferProgress.NONE, Status.FAILED, String.valueOf(e));
      }
      tell(transfer, Status.FAILED, String.valueOf(e.getMessage()));
    }
  }

  private void tell(SimulatedTransfer transfer, Status status, String reason) {
    if (replies("transfer " + status)) {
      transfer.end(status, reason);
    }
  }

  /** Returns whether all bytes have arrived. */
  private boolean put(Decision decision, byte[] bytes, SimulatedTransfer transfer)
      throws IOException {
    int half = bytes.length / 2;
    int[] ends = {half, bytes.length};
    int at = 0;
    for (int end : ends) {
      if (faults().happens(Faults.Kind.LOST_CONNECTION)) {
        endLater();
        return false;
      }
      if (ended || transfer.hasEnded()) {
        return false;
      }
      if (decision instanceof Decision.Through through && end > at) {
        through.sink().write(at, ByteBuffer.wrap(bytes, at, end - at).slice());
      }
      at = end;
    }
    if (decision instanceof Decision.Into into) {
      fill(into, bytes);
    }
    return true;
  }

  private static void fill(Decision.Into into, byte[] bytes) {
    int at = 0;
    for (ByteBuffer target : into.targets()) {
      int count = Math.min(target.remaining(), bytes.length - at);
      target.put(target.position(), bytes, at, count);
      at += count;
    }
  }

  private static byte[] bytes(Source source) throws IOException {
    int length = (int) source.length();
    byte[] all = new byte[length];
    int at = 0;
    if (length > 0) {
      for (ByteBuffer piece : source.read(0, length, ByteBuffer.allocate(length))) {
        int count = piece.remaining();
        piece.duplicate().get(all, at, count);
        at += count;
      }
    }
    return all;
  }

  /** Fetches what has this name into these buffers. */
  public SimulatedTransfer fetch(Name name, TransferProgress soFar, ByteBuffer... targets) {
    return fetch(name, length -> Decision.into(soFar, targets));
  }

  /** Fetches what has this name. */
  public SimulatedTransfer fetch(Name name, LongFunction<Decision> decision) {
    SimulatedTransfer transfer = new SimulatedTransfer();
    if (ended) {
      transfer.end(Status.INTERRUPTED, endReason);
      return transfer;
    }
    watch(transfer);
    deliver(
        "fetch " + name.bytes()[0],
        () -> {
          try {
            Source source = peer.handler.outgoing(peer, name);
            byte[] bytes = bytes(source);
            source.close();
            if (!replies("fetch") || transfer.hasEnded()) {
              return;
            }
            Decision taken = decision.apply(bytes.length);
            if (taken instanceof Decision.Into into) {
              fill(into, bytes);
              transfer.end(Status.DELIVERED, "");
            } else {
              transfer.end(Status.REFUSED, "It is not wanted.");
            }
          } catch (IOException | RuntimeException e) {
            transfer.end(Status.REFUSED, String.valueOf(e.getMessage()));
          }
        });
    return transfer;
  }
}
