package io.deepvm.bench;

import io.deepvm.bench.machine.Cores;
import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.places.local.JavaCommand;
import io.deepvm.trainer.averaging.GradientExchange;
import io.deepvm.trainer.job.TrainingJob.Wire;
import io.deepvm.trainer.member.AgentChannel;
import io.deepvm.trainer.member.Conversation;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.member.Session;
import io.deepvm.trainer.vector.Floats;
import io.deepvm.transport.Security;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sums a vector between two processes, by the trainer's exchange and by gloo through Python's torch
 * in turns: {@code AllReduceBenchmark [MB] [fp32|fp16]}.
 */
public final class AllReduceBenchmark {

  private static final int WARM_UP = 400;
  private static final int ROUNDS = 41;
  private static final int MOST_ROUNDS = 400;

  /** When other machines took more of the cores than this, a round says nothing. */
  private static final double MOST_STOLEN = 0.03;

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String GLOO =
      """
      import os, sys, time, torch, torch.distributed as dist
      torch.set_num_threads(1)
      dist.init_process_group('gloo', init_method='tcp://127.0.0.1:' + sys.argv[3],
                              rank=int(sys.argv[1]), world_size=2)
      while sys.stdin.readline():
          x = torch.ones(int(sys.argv[2]))
          dist.barrier()
          begin = time.perf_counter()
          dist.all_reduce(x)
          seconds = time.perf_counter() - begin
          assert float(x[0]) == 2 and float(x[-1]) == 2
          print(seconds, flush=True)
      """;

  /** Two processes that sum when they are told to. */
  private interface Pair extends Closeable {

    /** Returns how long the slower one took. */
    double seconds() throws IOException;
  }

  private AllReduceBenchmark() {}

  /** Runs it. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 4 && arguments[0].equals("member")) {
      member(
          Integer.parseInt(arguments[1]),
          Wire.valueOf(arguments[2]),
          Integer.parseInt(arguments[3]));
      return;
    }
    int megabytes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
    Wire wire = arguments.length > 1 && arguments[1].equals("fp16") ? Wire.FP16 : Wire.FP32;
    int floats = megabytes * 1_000_000 / Float.BYTES;
    List<Double> ours = new ArrayList<>();
    List<Double> glooed = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    int tried = 0;
    try (Pair exchange = new Members(floats, wire);
        Pair gloo = new Gloo(floats)) {
      for (int round = 0; round < WARM_UP; round++) {
        exchange.seconds();
        gloo.seconds();
      }
      for (; ratios.size() < ROUNDS && tried < MOST_ROUNDS; tried++) {
        Cores before = Cores.now();
        double mine = exchange.seconds();
        double theirs = gloo.seconds();
        if (Cores.now().stolenShare(before) <= MOST_STOLEN) {
          ours.add(mine);
          glooed.add(theirs);
          ratios.add(theirs / mine);
        }
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%d MB, 2 processes, %d undisturbed rounds of %d: exchange (%s) %.1f ms, gloo %.1f ms,"
            + " ratio of speeds %.2f (middle half %.2f to %.2f)%n",
        megabytes,
        ratios.size(),
        tried,
        wire,
        quantile(ours, 0.5) * 1e3,
        quantile(glooed, 0.5) * 1e3,
        quantile(ratios, 0.5),
        quantile(ratios, 0.25),
        quantile(ratios, 0.75));
  }

  private static double quantile(List<Double> values, double share) {
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.get((int) (share * (sorted.size() - 1)));
  }

  /** Ours: this process plays the agents of two members. */
  private static final class Members implements Pair {

    private final List<Process> processes = new ArrayList<>();
    private final List<BufferedReader> reports = new ArrayList<>();
    private final List<Socket> turns = new ArrayList<>();

    Members(int floats, Wire wire) throws IOException {
      List<Member> members = new ArrayList<>();
      try (ServerSocket caller = new ServerSocket(0, 2, InetAddress.getLoopbackAddress())) {
        caller.setSoTimeout((int) PATIENCE.toMillis());
        for (int rank = 0; rank < 2; rank++) {
          Process process =
              new ProcessBuilder(
                      JavaCommand.of(
                          List.of("-Xmx128m", "-XX:MaxDirectMemorySize=1g"),
                          AllReduceBenchmark.class,
                          "member",
                          Integer.toString(floats),
                          wire.name(),
                          Integer.toString(caller.getLocalPort())))
                  .redirectError(ProcessBuilder.Redirect.INHERIT)
                  .start();
          processes.add(process);
          turns.add(caller.accept());
          BufferedReader lines = process.inputReader();
          reports.add(lines);
          if (!(Lines.report(String.valueOf(lines.readLine())) instanceof Report.Ready ready)) {
            throw new IOException("The member is not ready.");
          }
          members.add(new Member("node-" + rank, Role.WORKER, "127.0.0.1", ready.port()));
        }
      }
      for (int rank = 0; rank < 2; rank++) {
        processes.get(rank).outputWriter().append(Lines.of(new Order.Form(1, rank, members)));
        processes.get(rank).outputWriter().append('\n').flush();
      }
    }

    @Override
    public double seconds() throws IOException {
      for (Socket turn : turns) {
        turn.getOutputStream().write(1);
      }
      double slowest = 0;
      for (BufferedReader lines : reports) {
        if (!(Lines.report(String.valueOf(lines.readLine())) instanceof Report.Step step)) {
          throw new IOException("A member ended early.");
        }
        slowest = Math.max(slowest, step.communicationSeconds());
      }
      return slowest;
    }

    @Override
    public void close() throws IOException {
      processes.forEach(Process::destroyForcibly);
      for (Socket turn : turns) {
        turn.close();
      }
    }
  }

  private static void member(int floats, Wire wire, int caller) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    AgentChannel agent = new AgentChannel(System.in, out, () -> Runtime.getRuntime().halt(0));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Socket turns = new Socket(InetAddress.getLoopbackAddress(), caller);
        Peers peers = new Peers(agent, "bench", any, Security.none())) {
      GradientExchange exchange = new GradientExchange(peers, floats, wire);
      Map<String, Boolean> said = new ConcurrentHashMap<>();
      int port = peers.start(new Summing(exchange, said));
      agent.start();
      agent.report(new Report.Ready(port));
      Order.Form form = agent.next(-1, PATIENCE);
      if (form == null) {
        return;
      }
      exchange.form(form.generation(), form.rank(), List.of("", ""));
      peers.form(form, other -> true);
      Session session = new Session(agent, peers, form.generation());
      ByteBuffer mine = Floats.allocate(floats);
      FloatBuffer ones = mine.asFloatBuffer();
      for (int i = 0; i < floats; i++) {
        ones.put(i, 1);
      }
      for (long round = 0; turns.getInputStream().read() >= 0; round++) {
        exchange.expect(round);
        meet(session, said, form.rank(), "ready " + round);
        long begin = System.nanoTime();
        exchange.begin(mine);
        exchange.finish(session);
        double seconds = (System.nanoTime() - begin) / 1e9;
        if (exchange.sum().get(0) != 2 || exchange.sum().get(floats - 1) != 2) {
          throw new IllegalStateException("The sum is wrong.");
        }
        // Who is through may not begin before the other one is.
        meet(session, said, form.rank(), "through " + round);
        agent.report(new Report.Step(1, round, 0, 0, 0, seconds, 0, 0));
      }
    }
  }

  private static void meet(Session session, Map<String, Boolean> said, int rank, String word)
      throws Exception {
    session.ask(1 - rank, word.getBytes(StandardCharsets.UTF_8));
    session.await("The other one did not come.", () -> said.containsKey(word));
  }

  private record Summing(GradientExchange exchange, Map<String, Boolean> said)
      implements Conversation {

    @Override
    public byte[] answer(byte[] question) {
      said.put(new String(question, StandardCharsets.UTF_8), true);
      return new byte[0];
    }

    @Override
    public ByteBuffer[] place(long generation, String name) throws IOException {
      return exchange.place(generation, name);
    }

    @Override
    public void arrived(long generation, String name, long offset, int length) {
      exchange.arrived(generation, name, offset, length);
    }

    @Override
    public void received(long generation, String name) {
      exchange.received(generation, name);
    }

    @Override
    public ByteBuffer[] find(String name) throws IOException {
      throw new IOException("There is no " + name + ".");
    }
  }

  /** Gloo's. */
  private static final class Gloo implements Pair {

    private final List<Process> processes = new ArrayList<>();

    Gloo(int floats) throws IOException {
      int port;
      try (ServerSocket free = new ServerSocket(0)) {
        port = free.getLocalPort();
      }
      for (int rank = 0; rank < 2; rank++) {
        ProcessBuilder builder =
            new ProcessBuilder(
                "/usr/bin/python3",
                "-c",
                GLOO,
                Integer.toString(rank),
                Integer.toString(floats),
                Integer.toString(port));
        builder.environment().put("OMP_NUM_THREADS", "1");
        builder.environment().put("GLOO_SOCKET_IFNAME", "lo");
        processes.add(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
      }
    }

    @Override
    public double seconds() throws IOException {
      for (Process process : processes) {
        process.outputWriter().append("go\n").flush();
      }
      double slowest = 0;
      for (Process process : processes) {
        String line = process.inputReader().readLine();
        if (line == null) {
          throw new IOException("gloo failed: is there a torch for /usr/bin/python3?");
        }
        slowest = Math.max(slowest, Double.parseDouble(line));
      }
      return slowest;
    }

    @Override
    public void close() {
      processes.forEach(Process::destroyForcibly);
    }
  }
}
