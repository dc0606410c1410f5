package io.deepvm.bench;

import com.sun.management.OperatingSystemMXBean;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.CheckpointEngine;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.Ticket;
import io.deepvm.checkpoint.TrainingState;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Saving and restoring beside what the machine can do at best: a parallel copy in memory, one
 * sequential write with a sync, a plain read by one thread and by all, from the page cache and from
 * the disk (where dd can drop a file from the cache). Each figure is the best of several
 * alternating runs, in time on the clock and in time of the processors; the latter tells more when
 * the machine has other work.
 *
 * <p>{@code CheckpointBenchmark FOLDER [SIZE ...]}, sizes like 100MB; give Java
 * -XX:MaxDirectMemorySize of four times the largest.
 */
public final class CheckpointBenchmark {

  private static final int THREADS = 2;

  /**
   * So many bytes are saved with each size, and at least five times: small ones need to warm up.
   */
  private static final long WORK = 4L << 30;

  private static final int PIECE = 1 << 20;
  private static final long BUFFER = 1 << 30;

  private final Path folder;
  private final long bytes;
  private final List<Slice> live;
  private final List<Slice> target;

  private CheckpointBenchmark(Path folder, long bytes) {
    this.folder = folder;
    this.bytes = bytes;
    this.live = model(bytes);
    this.target = model(bytes);
    byte[] noise = new byte[PIECE];
    new Random(1).nextBytes(noise);
    for (Slice slice : live) {
      for (ByteBuffer buffer : slice.data()) {
        for (int at = 0; at < buffer.limit(); at += PIECE) {
          buffer.put(at, noise, 0, Math.min(PIECE, buffer.limit() - at));
        }
      }
    }
  }

  /** Runs all sizes and prints one table. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory(Path.of(args.length > 0 ? args[0] : "."), "bench");
    List<String> sizes =
        args.length > 1 ? Arrays.asList(args).subList(1, args.length) : List.of("100MB", "1GB");
    System.out.println("| size | what | time | beside | time | ratio | ratio of CPU |");
    System.out.println("|---|---|---|---|---|---|---|");
    try {
      for (String size : sizes) {
        new CheckpointBenchmark(folder, DataSize.parse(size).bytes()).run(size);
      }
    } finally {
      delete(folder);
    }
  }

  /** Returns one large tensor, over several buffers if need be, and many small ones. */
  private static List<Slice> model(long bytes) {
    List<Slice> slices = new ArrayList<>();
    long large = bytes / 2 / 4 * 4;
    List<ByteBuffer> buffers = new ArrayList<>();
    for (long rest = large; rest > 0; rest -= Math.min(rest, BUFFER)) {
      buffers.add(ByteBuffer.allocateDirect((int) Math.min(rest, BUFFER)));
    }
    slices.add(Slice.whole(new TensorSpec("embedding", DType.F32, List.of(large / 4)), buffers));
    int layers = 100;
    long each = (bytes - large) / layers / 4 * 4;
    for (int i = 0; i < layers; i++) {
      TensorSpec tensor =
          new TensorSpec(String.format(Locale.ROOT, "layer.%03d", i), DType.F32, List.of(each / 4));
      slices.add(Slice.whole(tensor, ByteBuffer.allocateDirect((int) each)));
    }
    return slices;
  }

  private void run(String size) throws IOException, InterruptedException {
    DirectoryTier disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("ours"));
    Path plain = folder.resolve("plain");
    Best stall = new Best();
    Best copy = new Best();
    Best flush = new Best();
    Best write = new Best();
    Best restore = new Best();
    Best read = new Best();
    Best parallelRead = new Best();
    Best coldRestore = new Best();
    Best coldRead = new Best();
    EngineOptions options =
        EngineOptions.of("bench", Claim.of(1), new DataSize(bytes + (64 << 20)))
            .withCopyThreads(THREADS);
    try (CheckpointEngine engine = new CheckpointEngine(options, List.of(disk))) {
      engine.start();
      for (int round = 0; round < Math.max(5, WORK / bytes); round++) {
        int step = round;
        List<Ticket> tickets = new ArrayList<>();
        copy.measure(() -> inParallel(THREADS, this::copy));
        stall.measure(
            () -> tickets.add(engine.save(step, TrainingState.replicated(live), Map.of())));
        flush.measure(() -> awaitDurable(tickets.get(0)));
        write.measure(() -> plainWrite(plain));
        Checkpoints checkpoints = new Checkpoints(List.of(disk), THREADS);
        restore.measure(
            () -> Objects.requireNonNull(checkpoints.restore("bench", manifest -> target)));
        read.measure(() -> plainRead(plain, 1));
        parallelRead.measure(() -> plainRead(plain, THREADS));
        if (dropFromCache(folder)) {
          coldRestore.measure(
              () -> Objects.requireNonNull(checkpoints.restore("bench", manifest -> target)));
          coldRead.measure(() -> plainRead(plain, 1));
        }
        Files.delete(plain);
        disk.delete(tickets.get(0).version());
      }
    }
    row(size, "staging stall", stall, "parallel copy", copy);
    row(size, "flush to durable", flush, "sequential write + fsync", write);
    row(size, "restore, verified, from the cache", restore, "read by 1 thread", read);
    row(size, "restore, verified, from the cache", restore, "read by 2 threads", parallelRead);
    if (coldRead.wall < Double.MAX_VALUE) {
      row(size, "restore, verified, from the disk", coldRestore, "read by 1 thread", coldRead);
    }
  }

  /** Asks the system to forget the contents of all files, and returns whether it was asked. */
  private static boolean dropFromCache(Path folder) throws IOException, InterruptedException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Process process =
            new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
          return false;
        }
      }
    }
    return true;
  }

  private static void awaitDurable(Ticket ticket) throws IOException, InterruptedException {
    if (!ticket.await(Level.DURABLE, Duration.ofMinutes(10))) {
      throw new IOException(ticket.toString());
    }
  }

  private void row(String size, String what, Best ours, String peer, Best plain) {
    System.out.printf(
        Locale.ROOT,
        "| %s | %s | %.3f s, %.2f GB/s | %s | %.3f s, %.2f GB/s | %.2f | %.2f |%n",
        size,
        what,
        ours.wall,
        bytes / ours.wall / 1e9,
        peer,
        plain.wall,
        bytes / plain.wall / 1e9,
        ours.wall / plain.wall,
        ours.processor / plain.processor);
  }

  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  /** The least of each of the two times over all runs. */
  private static final class Best {

    private static final OperatingSystemMXBean SYSTEM =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private double wall = Double.MAX_VALUE;
    private double processor = Double.MAX_VALUE;

    void measure(Work work) throws IOException, InterruptedException {
      long begin = System.nanoTime();
      long used = SYSTEM.getProcessCpuTime();
      work.run();
      wall = Math.min(wall, (System.nanoTime() - begin) / 1e9);
      processor = Math.min(processor, (SYSTEM.getProcessCpuTime() - used) / 1e9);
    }
  }

  private void copy(int slice, int buffer, int begin, int length) {
    ByteBuffer from = live.get(slice).data().get(buffer);
    target.get(slice).data().get(buffer).put(begin, from, begin, length);
  }

  private interface Piece {
    void run(int slice, int buffer, int begin, int length) throws IOException;
  }

  /** Gives each thread its share of every buffer. */
  private void inParallel(int count, Piece piece) throws IOException, InterruptedException {
    List<Thread> threads = new ArrayList<>();
    List<IOException> problems = new ArrayList<>();
    for (int thread = 0; thread < count; thread++) {
      int number = thread;
      threads.add(
          new Thread(
              () -> {
                try {
                  share(number, count, piece);
                } catch (IOException e) {
                  synchronized (problems) {
                    problems.add(e);
                  }
                }
              }));
      threads.get(thread).start();
    }
    for (Thread thread : threads) {
      thread.join(TimeUnit.MINUTES.toMillis(10));
    }
    if (!problems.isEmpty()) {
      throw problems.get(0);
    }
  }

  private void share(int number, int count, Piece piece) throws IOException {
    for (int slice = 0; slice < live.size(); slice++) {
      List<ByteBuffer> buffers = live.get(slice).data();
      for (int index = 0; index < buffers.size(); index++) {
        long size = buffers.get(index).limit();
        int begin = (int) (size * number / count);
        int end = (int) (size * (number + 1) / count);
        piece.run(slice, index, begin, end - begin);
      }
    }
  }

  private void plainWrite(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      for (Slice slice : live) {
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
  }

  private void plainRead(Path file, int threads) throws IOException, InterruptedException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long[] begins = new long[live.size()];
      for (int i = 1; i < begins.length; i++) {
        begins[i] = begins[i - 1] + live.get(i - 1).bytes();
      }
      inParallel(
          threads,
          (slice, index, begin, length) -> {
            long at = begins[slice] + index * BUFFER + begin;
            for (int done = 0; done < length; done += PIECE) {
              ByteBuffer piece =
                  target
                      .get(slice)
                      .data()
                      .get(index)
                      .slice(begin + done, Math.min(PIECE, length - done));
              while (piece.hasRemaining()) {
                if (channel.read(piece, at + done + piece.position()) < 0) {
                  throw new IOException("The file ends early.");
                }
              }
            }
          });
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
