package io.deepvm.bench;

import com.sun.management.OperatingSystemMXBean;
import io.deepvm.bench.machine.Cores;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Decision;
import io.deepvm.transport.Handler;
import io.deepvm.transport.Name;
import io.deepvm.transport.Security;
import io.deepvm.transport.Token;
import io.deepvm.transport.Transfer;
import io.deepvm.transport.TransferHeader;
import io.deepvm.transport.TransferOutcome;
import io.deepvm.transport.TransferProgress;
import io.deepvm.transport.TransportClient;
import io.deepvm.transport.TransportOptions;
import io.deepvm.transport.TransportServer;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The transport beside plain sockets that move the same bytes between the same buffers. Each figure
 * is the median of rounds in which the two take turns, so that what else the machine does weighs on
 * both. A ratio is that of the transport's speed to the plain one's; above one it is faster.
 * Without arguments it measures on loopback; {@code tls} measures the encrypted transport there,
 * and how fast one core encrypts; {@code receive HOST PORT} and {@code send HOST PORT MEGABYTES
 * MBPS SENDERS} measure between two processes, see {@code bench/transport-shaped}.
 */
public final class TransportBenchmark {

  private static final int MB = 1_000_000;

  /** When other machines took more of the cores than this, the link itself was slower. */
  private static final double MOST_STOLEN = 0.03;

  private static final int QUIET_ROUNDS = 5;
  private static final int MOST_ROUNDS = 40;
  private static final Duration WAIT = Duration.ofMinutes(2);
  private static final Security SECRET = Security.of(Token.of("only for the benchmark"));
  private static final TransportOptions OPTIONS =
      TransportOptions.usual().withSecurity(SECRET.unencrypted());

  private TransportBenchmark() {}

  /** Runs the measurement that the arguments name. */
  public static void main(String[] args) throws Exception {
    switch (args.length == 0 ? "loopback" : args[0]) {
      case "loopback" -> loopback();
      case "tls" -> tls();
      case "receive" -> receive(new InetSocketAddress(args[1], Integer.parseInt(args[2])));
      case "send" ->
          send(
              new InetSocketAddress(args[1], Integer.parseInt(args[2])),
              Integer.parseInt(args[3]) * MB,
              Double.parseDouble(args[4]),
              Integer.parseInt(args[5]));
      default -> throw new IllegalArgumentException("Unknown measurement: " + args[0]);
    }
  }

  private static void loopback() throws Exception {
    try (Plain plain = new Plain(4, false);
        Plain summed = new Plain(4, true);
        Ours ours = new Ours(4, OPTIONS)) {
      compare("one way, 100 MB", 121, plain, ours, 1, 100 * MB, 1, false);
      compare("the same, plain with checksums", 41, summed, ours, 1, 100 * MB, 1, false);
      compare("one way, 1 GB", 9, plain, ours, 1, 1000 * MB, 1, false);
      compare("one way, 4 GB", 5, plain, ours, 1, 1000 * MB, 4, false);
      compare("both ways at once, 64 MB each", 21, plain, ours, 1, 64 * MB, 1, true);
      compare("4 senders to 1 receiver, 64 MB each", 9, plain, ours, 4, 64 * MB, 1, false);
      compare("4 pairs both ways at once, 64 MB each", 9, plain, ours, 4, 64 * MB, 1, true);
      compare("one way, 10 kB (latency)", 1001, plain, ours, 1, 10_000, 1, false);
    }
  }

  private static void tls() throws Exception {
    try (Plain plain = new Plain(1, false);
        Ours ours = new Ours(1, TransportOptions.usual().withSecurity(SECRET.encrypted()))) {
      compare("TLS, one way, 100 MB", 41, plain, ours, 1, 100 * MB, 1, false);
      compare("TLS, one way, 1 GB", 5, plain, ours, 1, 1000 * MB, 1, false);
      compare("TLS, one way, 10 kB (latency)", 1001, plain, ours, 1, 10_000, 1, false);
    }
    encrypt();
  }

  /** Prints how fast one core encrypts records as TLS does, which bounds what TLS can reach. */
  private static void encrypt() throws GeneralSecurityException {
    byte[] record = new byte[16 << 10];
    byte[] out = new byte[record.length + 16];
    SecretKeySpec key = new SecretKeySpec(new byte[16], "AES");
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    int records = 20_000;
    double best = Double.MAX_VALUE;
    for (int round = 0; round < 10; round++) {
      long start = System.nanoTime();
      for (int i = 0; i < records; i++) {
        byte[] nonce = ByteBuffer.allocate(12).putInt(round).putLong(i).array();
        cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(128, nonce));
        cipher.doFinal(record, 0, record.length, out);
      }
      best = Math.min(best, (System.nanoTime() - start) / 1e9);
    }
    System.out.printf(
        Locale.ROOT,
        "AES-128-GCM, records of 16 KiB, one core %32.0f MB/s%n",
        (double) records * record.length / best / 1e6);
  }

  /**
   * Prints the medians of so many rounds, after as many to warm up. What is moved is so many
   * buffers on each stream, because one holds two gigabytes at most.
   */
  private static void compare(
      String what,
      int rounds,
      Way plain,
      Way ours,
      int streams,
      int bytes,
      int buffers,
      boolean bothWays)
      throws Exception {
    ByteBuffer[][] from = new ByteBuffer[2 * streams][buffers];
    ByteBuffer[][] to = new ByteBuffer[2 * streams][buffers];
    for (int i = 0; i < (bothWays ? 2 : 1) * streams; i++) {
      for (int j = 0; j < buffers; j++) {
        from[i][j] = random(bytes);
        to[i][j] = ByteBuffer.allocateDirect(bytes);
      }
    }
    double[] plainSeconds = new double[rounds];
    double[] ourSeconds = new double[rounds];
    double[] ratios = new double[rounds];
    double plainCpu = 0;
    double ourCpu = 0;
    for (int round = -rounds; round < rounds; round++) {
      double cpu = cpuSeconds();
      double beside = plain.seconds(streams, from, to, bothWays);
      double between = cpuSeconds();
      double measured = ours.seconds(streams, from, to, bothWays);
      if (round >= 0) {
        plainSeconds[round] = beside;
        ourSeconds[round] = measured;
        ratios[round] = beside / measured;
        plainCpu += between - cpu;
        ourCpu += cpuSeconds() - between;
      }
    }
    double total = (double) bytes * buffers * streams * (bothWays ? 2 : 1);
    System.out.printf(
        Locale.ROOT,
        "%-40s plain %8.3f ms %6.0f MB/s   ours %8.3f ms %6.0f MB/s   ratio %.2f, of CPU time %.2f%n",
        what,
        1e3 * median(plainSeconds),
        total / median(plainSeconds) / 1e6,
        1e3 * median(ourSeconds),
        total / median(ourSeconds) / 1e6,
        median(ratios),
        plainCpu / ourCpu);
  }

  private static void receive(InetSocketAddress address) throws Exception {
    Map<String, ByteBuffer> places = new ConcurrentHashMap<>();
    Handler handler =
        new Handler() {
          @Override
          public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar) {
            int length = (int) header.length();
            return Decision.into(
                soFar,
                places.computeIfAbsent(
                    header.name() + " of " + length, name -> ByteBuffer.allocateDirect(length)));
          }
        };
    try (TransportServer server = new TransportServer(address, handler, OPTIONS);
        ServerSocketChannel plain = ServerSocketChannel.open().bind(beside(address))) {
      server.start();
      Thread swallowing = new Thread(() -> swallow(plain));
      swallowing.setDaemon(true);
      swallowing.start();
      System.out.println("listening on " + server.address());
      // Whoever started it ends it by closing its standard input.
      while (System.in.read() >= 0) {}
    }
  }

  /** Takes one plain sender after the other: so many bytes, then a byte in answer. */
  private static void swallow(ServerSocketChannel server) {
    ByteBuffer place = ByteBuffer.allocateDirect(1 << 20);
    while (true) {
      try (SocketChannel from = server.accept()) {
        ByteBuffer head = ByteBuffer.allocate(Long.BYTES);
        while (head.hasRemaining()) {
          readSome(from, head);
        }
        long left = head.flip().getLong();
        while (left > 0) {
          left -= readSome(from, place.clear().limit((int) Math.min(left, place.capacity())));
        }
        from.write(ByteBuffer.allocate(1));
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static int readSome(SocketChannel from, ByteBuffer into) throws IOException {
    int read = from.read(into);
    if (read < 0) {
      throw new EOFException("The sender went in the middle.");
    }
    return read;
  }

  /** Sends over a new socket and waits for the byte in answer, as the transport does. */
  private static double plainSeconds(InetSocketAddress address, ByteBuffer bytes)
      throws IOException {
    try (SocketChannel to = SocketChannel.open(beside(address))) {
      long start = System.nanoTime();
      to.write(ByteBuffer.allocate(Long.BYTES).putLong(bytes.remaining()).flip());
      ByteBuffer rest = bytes.duplicate();
      while (rest.hasRemaining()) {
        to.write(rest);
      }
      if (to.read(ByteBuffer.allocate(1)) < 0) {
        throw new EOFException();
      }
      return (System.nanoTime() - start) / 1e9;
    }
  }

  private static InetSocketAddress beside(InetSocketAddress address) {
    return new InetSocketAddress(address.getAddress(), address.getPort() + 1);
  }

  private static void send(InetSocketAddress address, int bytes, double linkMbps, int senders)
      throws Exception {
    ByteBuffer from = random(bytes);
    try (TransportClient client = new TransportClient(OPTIONS)) {
      client.start();
      List<Connection> connections = new ArrayList<>();
      for (int i = 0; i < senders; i++) {
        connections.add(client.connect(address));
      }
      List<Double> seconds = new ArrayList<>();
      List<Double> plain = new ArrayList<>();
      int rounds = 0;
      for (; seconds.size() < QUIET_ROUNDS && rounds < MOST_ROUNDS; rounds++) {
        Cores before = Cores.now();
        double beside = plainSeconds(address, from);
        long start = System.nanoTime();
        List<Transfer> all = new ArrayList<>();
        for (int i = 0; i < senders; i++) {
          all.add(connections.get(i).send(header(i, bytes), from));
        }
        for (Transfer transfer : all) {
          delivered(transfer);
        }
        double measured = (System.nanoTime() - start) / 1e9;
        if (Cores.now().stolenShare(before) < MOST_STOLEN) {
          seconds.add(measured);
          plain.add(beside);
        }
      }
      if (seconds.size() < QUIET_ROUNDS) {
        throw new IOException("Other machines take too much of the cores: maybe try again later.");
      }
      double mbps = (double) senders * bytes * 8e-6 / median(array(seconds));
      System.out.printf(
          Locale.ROOT,
          "%d x %d MB in %.3f s: %.1f Mbit/s of payload, %.1f %% of a link of %.0f Mbit/s;"
              + " one plain socket %.1f Mbit/s; %d rounds, of which %d were quiet%n",
          senders,
          bytes / MB,
          median(array(seconds)),
          mbps,
          100 * mbps / linkMbps,
          linkMbps,
          bytes * 8e-6 / median(array(plain)),
          rounds,
          seconds.size());
    }
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  /** A way to move buffers over so many connections at once, and back if asked. */
  private interface Way extends Closeable {

    /** Moves the first half of the buffers there and the second half back. */
    double seconds(int streams, ByteBuffer[][] from, ByteBuffer[][] to, boolean bothWays)
        throws Exception;
  }

  /**
   * Blocking socket channels, one thread to write and one to read in each direction; with checksums
   * of what was written and read, if asked, which shows how much of the difference is theirs.
   */
  private static final class Plain implements Way {

    private static final int PIECE = 1 << 20;

    private final boolean summed;
    private final List<SocketChannel> here = new ArrayList<>();
    private final List<SocketChannel> there = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    Plain(int most, boolean summed) throws IOException {
      this.summed = summed;
      try (ServerSocketChannel server = ServerSocketChannel.open().bind(loopbackAddress())) {
        for (int i = 0; i < most; i++) {
          here.add(SocketChannel.open(server.getLocalAddress()));
          there.add(server.accept());
        }
      }
    }

    @Override
    public double seconds(int streams, ByteBuffer[][] from, ByteBuffer[][] to, boolean bothWays)
        throws Exception {
      long start = System.nanoTime();
      List<Future<Long>> all = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        all.add(threads.submit(writing(here.get(i), from[i])));
        all.add(threads.submit(reading(there.get(i), to[i])));
        if (bothWays) {
          all.add(threads.submit(writing(there.get(i), from[streams + i])));
          all.add(threads.submit(reading(here.get(i), to[streams + i])));
        }
      }
      for (Future<Long> one : all) {
        one.get(WAIT.toSeconds(), TimeUnit.SECONDS);
      }
      return (System.nanoTime() - start) / 1e9;
    }

    private Callable<Long> writing(SocketChannel channel, ByteBuffer... all) {
      return () -> {
        CRC32C sum = new CRC32C();
        for (ByteBuffer bytes : all) {
          for (int at = 0; at < bytes.capacity(); at += PIECE) {
            ByteBuffer piece = bytes.slice(at, Math.min(PIECE, bytes.capacity() - at));
            while (piece.hasRemaining()) {
              channel.write(piece);
            }
            if (summed) {
              sum.update(piece.flip());
            }
          }
        }
        return sum.getValue();
      };
    }

    private Callable<Long> reading(SocketChannel channel, ByteBuffer... all) {
      return () -> {
        CRC32C sum = new CRC32C();
        for (ByteBuffer bytes : all) {
          ByteBuffer rest = bytes.duplicate();
          while (rest.position() < rest.capacity()) {
            rest.limit(Math.min(rest.position() + PIECE, rest.capacity()));
            ByteBuffer fresh = rest.duplicate();
            if (channel.read(rest) < 0) {
              throw new EOFException();
            }
            if (summed) {
              sum.update(fresh.limit(rest.position()));
            }
          }
        }
        return sum.getValue();
      };
    }

    @Override
    public void close() throws IOException {
      threads.shutdownNow();
      for (SocketChannel channel : here) {
        channel.close();
      }
      for (SocketChannel channel : there) {
        channel.close();
      }
    }
  }

  /** The transport, with its checksums, credit and acknowledgements. */
  private static final class Ours implements Way {

    private final BlockingQueue<Connection> accepted = new ArrayBlockingQueue<>(16);
    private final List<Connection> here = new ArrayList<>();
    private final List<Connection> there = new ArrayList<>();
    private final TransportServer server;
    private final TransportClient client;
    private volatile ByteBuffer[][] places = new ByteBuffer[0][];

    Ours(int most, TransportOptions options) throws Exception {
      Handler handler =
          new Handler() {
            @Override
            public Decision incoming(
                Connection peer, TransferHeader header, TransferProgress soFar) {
              return place(header, soFar);
            }

            @Override
            public void connected(Connection connection) {
              accepted.add(connection);
            }
          };
      server = new TransportServer(loopbackAddress(), handler, options);
      server.start();
      client =
          new TransportClient(
              new Handler() {
                @Override
                public Decision incoming(
                    Connection peer, TransferHeader header, TransferProgress soFar) {
                  return place(header, soFar);
                }
              },
              options);
      client.start();
      for (int i = 0; i < most; i++) {
        here.add(client.connect(server.address()));
        Connection back = accepted.poll(WAIT.toSeconds(), TimeUnit.SECONDS);
        if (back == null) {
          throw new IOException("The server did not accept.");
        }
        there.add(back);
      }
    }

    private Decision place(TransferHeader header, TransferProgress soFar) {
      return Decision.into(soFar, places[Integer.parseInt(header.name().text())]);
    }

    @Override
    public double seconds(int streams, ByteBuffer[][] from, ByteBuffer[][] to, boolean bothWays)
        throws Exception {
      places = to;
      long start = System.nanoTime();
      List<Transfer> all = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        all.add(here.get(i).send(header(i, bytes(from[i])), from[i]));
        if (bothWays) {
          int back = streams + i;
          all.add(there.get(i).send(header(back, bytes(from[back])), from[back]));
        }
      }
      for (Transfer one : all) {
        delivered(one);
      }
      return (System.nanoTime() - start) / 1e9;
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }

  private static void delivered(Transfer transfer) throws Exception {
    TransferOutcome outcome = transfer.await(WAIT);
    if (outcome.status() != TransferOutcome.Status.DELIVERED) {
      throw new IOException(outcome.toString());
    }
  }

  private static TransferHeader header(int place, long bytes) {
    return new TransferHeader(
        UUID.randomUUID(), Name.NONE, 0, Name.of(Integer.toString(place)), bytes);
  }

  private static long bytes(ByteBuffer... buffers) {
    return Arrays.stream(buffers).mapToLong(ByteBuffer::remaining).sum();
  }

  private static InetSocketAddress loopbackAddress() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static ByteBuffer random(int bytes) {
    byte[] some = new byte[1 << 20];
    new Random(1).nextBytes(some);
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes);
    while (buffer.hasRemaining()) {
      buffer.put(some, 0, Math.min(some.length, buffer.remaining()));
    }
    return buffer.flip();
  }

  /** The processor time of this process; unlike the clock it hardly minds a busy machine. */
  private static double cpuSeconds() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime()
        / 1e9;
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
