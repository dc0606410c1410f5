package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A handler that keeps what it is sent by name, in memory or through a sink, and gives it back. */
class Shelf implements Handler {

  final Map<Name, ByteBuffer> places = new ConcurrentHashMap<>();
  final Map<Name, Integer> received = new ConcurrentHashMap<>();
  final Queue<TransferProgress> asked = new ConcurrentLinkedQueue<>();
  final Queue<String> interruptions = new ConcurrentLinkedQueue<>();
  private final boolean throughSink;

  Shelf(boolean throughSink) {
    this.throughSink = throughSink;
  }

  ByteBuffer place(TransferHeader header) {
    return places.computeIfAbsent(
        header.name(), name -> ByteBuffer.allocateDirect((int) header.length()));
  }

  @Override
  public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar) {
    asked.add(soFar);
    ByteBuffer place = place(header);
    return throughSink
        ? Decision.through(soFar, (offset, bytes) -> put(header, place, offset, bytes))
        : Decision.into(soFar, place);
  }

  void put(TransferHeader header, ByteBuffer place, long offset, ByteBuffer bytes)
      throws IOException {
    place.duplicate().position((int) offset).put(bytes);
  }

  @Override
  public void received(Connection from, TransferHeader header, int crc32c) throws IOException {
    received.merge(header.name(), 1, Integer::sum);
  }

  @Override
  public void interrupted(
      Connection from,
      TransferHeader header,
      TransferProgress soFar,
      TransferOutcome.Status why,
      String reason) {
    interruptions.add(why + " at " + soFar.offset() + ": " + reason);
  }

  @Override
  public Source outgoing(Connection to, Name name) {
    ByteBuffer place = places.get(name);
    if (place == null) {
      throw new BadInput("There is no " + name + " here.", "Maybe it has another name.");
    }
    return Source.of(place);
  }

  @Override
  public byte[] answer(Connection from, byte[] request) throws IOException {
    byte[] reversed = new byte[request.length];
    for (int i = 0; i < request.length; i++) {
      reversed[i] = request[request.length - 1 - i];
    }
    return reversed;
  }
}
