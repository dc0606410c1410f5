package io.deepvm.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A server on a free port of this machine and a client, both with the same options. */
final class Pair implements AutoCloseable {

  static final Duration LONG = Duration.ofSeconds(20);
  static final Name JOB = Name.of("job");
  static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  /** Dead peers are noticed soon, but not so soon that a busy machine looks dead. */
  static final Timeouts QUICK =
      new Timeouts(
          Duration.ofSeconds(5),
          Duration.ofMillis(200),
          Duration.ofMillis(1500),
          Duration.ofMillis(2500),
          Duration.ofSeconds(10),
          Duration.ofMillis(2500));

  final TransportServer server;
  final TransportClient client;
  private final Queue<Thread> threads;

  Pair(Handler onServer, Handler onClient, TransportOptions options) throws IOException {
    Queue<Thread> made = new ConcurrentLinkedQueue<>();
    TransportOptions counted =
        options.withThreads(
            task -> {
              Thread thread = new Thread(task);
              thread.setDaemon(true);
              made.add(thread);
              return thread;
            });
    threads = made;
    server = new TransportServer(ANY, onServer, counted.withGenerations(new Generations()));
    client = new TransportClient(onClient, counted.withGenerations(new Generations()));
    server.start();
    client.start();
  }

  Pair(Handler onServer, TransportOptions options) throws IOException {
    this(onServer, new Handler() {}, options);
  }

  Connection connect() throws IOException {
    return client.connect(server.address());
  }

  /** Returns the threads that were ever made. */
  Queue<Thread> threads() {
    return threads;
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }

  static TransferHeader header(String name, long length) {
    return new TransferHeader(
        UUID.nameUUIDFromBytes(Name.of(name).bytes()), JOB, 1, Name.of(name), length);
  }

  static ByteBuffer random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return ByteBuffer.allocateDirect(length).put(bytes).flip();
  }
}
