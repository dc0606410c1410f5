package io.deepvm.bench;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.anchor.AnchorClient;
import io.deepvm.checkpoint.anchor.AnchorOptions;
import io.deepvm.checkpoint.anchor.AnchorService;
import io.deepvm.checkpoint.anchor.RemoteAssembly;
import io.deepvm.checkpoint.anchor.RemoteTier;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.FaultPoints;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.SpreadTier;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.transport.Token;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What anchors do with checkpoints, beside what the disk and the link can do:
 *
 * <ul>
 *   <li>{@code flush FOLDER SIZE ...}: from the anchor's memory to its disk beside a write and sync
 *   <li>{@code saves FOLDER COUNT}: the memory taken over many saves
 *   <li>{@code anchor HOST PORT FOLDER SIZE}: serves until its input ends
 *   <li>{@code send SIZE WORKERS MBPS HOST:PORT ...}: from workers to as many anchors as are given
 * </ul>
 */
public final class AnchorBenchmark {

  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int PIECE = 1 << 20;
  private static final int ROUNDS = 5;
  private static final String JOB = "bench";
  private static final Token TOKEN = Token.of("a secret for measurements only, 32+");

  private AnchorBenchmark() {}

  /** Does what the first argument says. */
  public static void main(String[] args) throws IOException, InterruptedException {
    List<String> rest = Arrays.asList(args).subList(1, args.length);
    switch (args[0]) {
      case "flush" -> flush(Path.of(rest.get(0)), rest.subList(1, rest.size()));
      case "saves" -> saves(Path.of(rest.get(0)), Integer.parseInt(rest.get(1)));
      case "anchor" -> serve(rest);
      case "send" -> send(rest);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  /**
   * Each side writes into a new folder, which decides where on the disk it goes, and gives back
   * what it wrote before the other one's turn; and the plain write waits as long as the flush had
   * to wait for the save. For a virtual machine gives memory and blocks that are free for seconds
   * back to its host, and whoever comes then takes several times longer to write.
   */
  private static void flush(Path parent, List<String> sizes)
      throws IOException, InterruptedException {
    System.out.println("| size | memory to disk | write + fsync | share of the plain speed |");
    System.out.println("|---|---|---|---|");
    for (String size : sizes) {
      long bytes = DataSize.parse(size).bytes();
      Path folder = Files.createTempDirectory(parent, "anchor");
      List<Slice> state = state(bytes);
      List<Double> flushed = new ArrayList<>();
      List<Double> written = new ArrayList<>();
      List<Double> shares = new ArrayList<>();
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      Path place = folder.resolve("anchor");
      Tier disk = new DirectoryTier("disk", Level.DURABLE, place.resolve("versions"));
      try (AnchorService anchor =
          new AnchorService(AnchorOptions.of(any, new DataSize(2 * bytes + (64 << 20)), place))) {
        anchor.start();
        try (AnchorClient client = new AnchorClient(anchor.address(), null);
            CheckpointEngine engine =
                new CheckpointEngine(
                    EngineOptions.of(JOB, Claim.of(1), new DataSize(bytes + (64 << 20))),
                    List.of(new RemoteTier("anchor", Level.REPLICATED, client)))) {
          engine.start();
          // The first round of each is left out: all of its blocks are new.
          for (int round = 0; round <= rounds(bytes); round++) {
            long asked = System.nanoTime();
            Ticket ticket = engine.save(round, TrainingState.replicated(state), Map.of());
            expect(ticket.await(Level.REPLICATED, PATIENCE), ticket);
            long begin = System.nanoTime();
            expect(anchor.awaitIdle(PATIENCE), ticket);
            double ours = (System.nanoTime() - begin) / 1e9;
            for (Holding holding : disk.list(JOB)) {
              expect(disk.delete(holding.version()), ticket);
            }
            TimeUnit.NANOSECONDS.sleep(begin - asked);
            Path beside = Files.createDirectories(folder.resolve("plain/" + round));
            double plain = plainWrite(beside.resolve("file"), state);
            if (round > 0) {
              flushed.add(ours);
              written.add(plain);
              shares.add(plain / ours);
            }
          }
        }
      } finally {
        delete(folder);
      }
      System.out.printf(
          Locale.ROOT,
          "| %s | %.3f s | %.3f s | %.0f %% |%n",
          size,
          median(flushed),
          median(written),
          100 * median(shares));
    }
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  private static long rounds(long bytes) {
    return Math.max(ROUNDS, (4L << 30) / bytes);
  }

  private static void saves(Path parent, int count) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory(parent, "saves");
    DataSize arena = DataSize.parse("16MiB");
    List<Slice> state = state(4_000_000);
    long peak = 0;
    System.out.println("| saves | not skipped | direct memory | heap after collection |");
    System.out.println("|---|---|---|---|");
    long before = direct();
    try (CheckpointEngine engine =
        new CheckpointEngine(
            EngineOptions.of(JOB, Claim.of(1), arena),
            List.of(new DirectoryTier("disk", Level.DURABLE, folder)))) {
      engine.start();
      int kept = 0;
      for (int i = 1; i <= count; i++) {
        Ticket ticket = engine.save(i, TrainingState.replicated(state), Map.of());
        kept += ticket.await(Level.DURABLE, PATIENCE) ? 1 : 0;
        peak = Math.max(peak, direct() - before);
        if (i == count / 10 || i == count) {
          System.gc();
          System.out.printf(
              Locale.ROOT,
              "| %d | %d | %s at most, arena %s | %s |%n",
              i,
              kept,
              new DataSize(peak),
              arena,
              new DataSize(heap()));
        }
      }
    } finally {
      delete(folder);
    }
  }

  private static long direct() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  private static long heap() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    return memory.getHeapMemoryUsage().getUsed();
  }

  private static void serve(List<String> args) throws IOException {
    InetSocketAddress listen = new InetSocketAddress(args.get(0), Integer.parseInt(args.get(1)));
    Path folder = Files.createTempDirectory(Path.of(args.get(2)), "anchor");
    try (AnchorService anchor =
        new AnchorService(
            AnchorOptions.of(listen, DataSize.parse(args.get(3)), folder).withToken(TOKEN))) {
      anchor.start();
      System.out.println("ready");
      while (System.in.read() >= 0) {
        // the input's end is the sign to end
      }
    } finally {
      delete(folder);
    }
  }

  /** Saves one state, cut over the workers, into the anchors, several times. */
  private static void send(List<String> args) throws IOException, InterruptedException {
    long bytes = DataSize.parse(args.get(0)).bytes();
    int workers = Integer.parseInt(args.get(1));
    double mbps = Double.parseDouble(args.get(2));
    List<AutoCloseable> open = new ArrayList<>();
    List<CheckpointEngine> engines = new ArrayList<>();
    List<Slice> state = state(bytes);
    List<String> addresses = args.subList(3, args.size());
    double best = Double.MAX_VALUE;
    // newer than that of any earlier run on the same anchors
    Claim claim = Claim.of(Instant.now().getEpochSecond());
    try {
      for (int worker = 0; worker < workers; worker++) {
        List<AnchorClient> clients = new ArrayList<>();
        List<Tier> tiers = new ArrayList<>();
        for (String address : addresses) {
          int colon = address.indexOf(':');
          AnchorClient client =
              new AnchorClient(
                  new InetSocketAddress(
                      address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))),
                  TOKEN);
          clients.add(client);
          open.add(client);
          tiers.add(new RemoteTier(address, Level.REPLICATED, client));
        }
        CheckpointEngine engine =
            new CheckpointEngine(
                EngineOptions.of(
                        "fan-in-" + addresses.size(),
                        claim,
                        new DataSize(bytes / workers + (16 << 20)))
                    .withWorker(worker, workers),
                List.of(new SpreadTier("anchors", Level.REPLICATED, tiers, 1)),
                new RemoteAssembly(clients),
                FaultPoints.NONE,
                System::nanoTime);
        engine.start();
        engines.add(engine);
      }
      for (int round = 0; round < ROUNDS; round++) {
        long begin = System.nanoTime();
        List<Ticket> tickets = new ArrayList<>();
        for (CheckpointEngine engine : engines) {
          tickets.add(engine.save(round, TrainingState.replicated(state), Map.of()));
        }
        for (Ticket ticket : tickets) {
          expect(ticket.await(Level.REPLICATED, PATIENCE), ticket);
        }
        best = Math.min(best, (System.nanoTime() - begin) / 1e9);
      }
    } finally {
      for (CheckpointEngine engine : engines) {
        engine.close();
      }
      for (AutoCloseable client : open) {
        ((AnchorClient) client).close();
      }
    }
    System.out.printf(
        Locale.ROOT,
        "| %d | %d | %.2f s | %.1f %% |%n",
        workers,
        addresses.size(),
        best,
        100 * bytes * 8 / best / 1e6 / mbps / addresses.size());
  }

  private static void expect(boolean there, Ticket ticket) throws IOException {
    if (!there) {
      throw new IOException(ticket.toString());
    }
  }

  private static List<Slice> state(long bytes) {
    int pieces = (int) Math.max(8, bytes / (64 << 20));
    long each = bytes / pieces / 4 * 4;
    byte[] noise = new byte[PIECE];
    Random random = new Random(1);
    List<Slice> slices = new ArrayList<>();
    for (int i = 0; i < pieces; i++) {
      ByteBuffer buffer = ByteBuffer.allocateDirect((int) each);
      random.nextBytes(noise);
      for (int at = 0; at < each; at += PIECE) {
        buffer.put(at, noise, 0, (int) Math.min(PIECE, each - at));
      }
      String name = String.format(Locale.ROOT, "layer.%03d", i);
      slices.add(Slice.whole(new TensorSpec(name, DType.F32, List.of(each / 4)), buffer));
    }
    return slices;
  }

  private static double plainWrite(Path file, List<Slice> state) throws IOException {
    long begin = System.nanoTime();
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (Slice slice : state) {
        for (ByteBuffer buffer : slice.data()) {
          for (int at = 0; at < buffer.limit(); at += PIECE) {
            ByteBuffer piece = buffer.slice(at, Math.min(PIECE, buffer.limit() - at));
            while (piece.hasRemaining()) {
              channel.write(piece);
            }
          }
        }
      }
      channel.force(true);
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    Files.delete(file);
    return seconds;
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
