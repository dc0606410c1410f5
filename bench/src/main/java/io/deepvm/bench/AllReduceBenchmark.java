package io.deepvm.bench;

import io.deepvm.cluster.local.JavaCommand;
import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.averaging.Exchange;
import io.deepvm.trainer.job.TrainingJob.Wire;
import io.deepvm.trainer.member.Agent;
import io.deepvm.trainer.member.Conversation;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.member.Session;
import io.deepvm.trainer.vector.Floats;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Sums a vector between two processes, in turns by the trainer's exchange and by gloo through
 * Python's torch: {@code AllReduceBenchmark [MB] [fp32|fp16]}.
 */
public final class AllReduceBenchmark {

  private static final int WARM_UP = 60;
  private static final int ROUNDS = 25;
  private static final int TURNS = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final String GLOO =
      """
      import os, sys, time, torch, torch.distributed as dist
      torch.set_num_threads(1)
      dist.init_process_group('gloo', init_method='tcp://127.0.0.1:' + sys.argv[3],
                              rank=int(sys.argv[1]), world_size=2)
      times = []
      for i in range(int(sys.argv[4]) + int(sys.argv[5])):
          x = torch.ones(int(sys.argv[2]))
          dist.barrier()
          begin = time.perf_counter()
          dist.all_reduce(x)
          times.append(time.perf_counter() - begin)
          assert float(x[0]) == 2 and float(x[-1]) == 2
      times = sorted(times[int(sys.argv[4]):])
      print(times[len(times) // 2], flush=True)
      """;

  private AllReduceBenchmark() {}

  /** Runs it. */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 3 && arguments[0].equals("member")) {
      member(Integer.parseInt(arguments[1]), Wire.valueOf(arguments[2]));
      return;
    }
    int megabytes = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
    Wire wire = arguments.length > 1 && arguments[1].equals("fp16") ? Wire.FP16 : Wire.FP32;
    int floats = megabytes * 1_000_000 / Float.BYTES;
    for (int turn = 0; turn < TURNS; turn++) {
      double ours = ours(floats, wire);
      double gloo = gloo(floats);
      System.out.printf(
          "%d MB, 2 processes, medians of %d: exchange (%s) %.1f ms, gloo %.1f ms, ratio of speeds"
              + " %.2f%n",
          megabytes, ROUNDS, wire, ours * 1e3, gloo * 1e3, gloo / ours);
    }
  }

  private static double median(List<Double> times) {
    List<Double> sorted = times.stream().sorted().toList();
    return sorted.get(sorted.size() / 2);
  }

  // Ours: this process plays the agents of two members.

  private static double ours(int floats, Wire wire) throws Exception {
    List<Process> processes = new ArrayList<>();
    try {
      List<BufferedReader> reports = new ArrayList<>();
      List<Member> members = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        Process process =
            new ProcessBuilder(
                    JavaCommand.of(
                        List.of("-Xmx128m", "-XX:MaxDirectMemorySize=1g"),
                        AllReduceBenchmark.class,
                        "member",
                        Integer.toString(floats),
                        wire.name()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.add(process);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        reports.add(lines);
        if (!(Lines.report(String.valueOf(lines.readLine())) instanceof Report.Ready ready)) {
          throw new IOException("The member is not ready.");
        }
        members.add(new Member("node-" + rank, Role.WORKER, "127.0.0.1", ready.port()));
      }
      for (int rank = 0; rank < 2; rank++) {
        String line = Lines.of(new Order.Form(1, rank, members)) + "\n";
        processes.get(rank).getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
        processes.get(rank).getOutputStream().flush();
      }
      List<Double> times = new ArrayList<>();
      for (int round = 0; round < WARM_UP + ROUNDS; round++) {
        double slowest = 0;
        for (BufferedReader lines : reports) {
          if (!(Lines.report(String.valueOf(lines.readLine())) instanceof Report.Step step)) {
            throw new IOException("A member ended early.");
          }
          slowest = Math.max(slowest, step.communicationSeconds());
        }
        if (round >= WARM_UP) {
          times.add(slowest);
        }
      }
      return median(times);
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }

  private static void member(int floats, Wire wire) throws Exception {
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    Agent agent = new Agent(System.in, out, () -> Runtime.getRuntime().halt(0));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (Peers peers = new Peers(agent, "bench", any, null)) {
      Exchange exchange = new Exchange(agent, peers, floats, wire);
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
      for (long round = 0; round < WARM_UP + ROUNDS; round++) {
        exchange.expect(round);
        meet(session, said, form.rank(), "ready " + round);
        long begin = System.nanoTime();
        exchange.begin(mine);
        exchange.finish(PATIENCE);
        double seconds = (System.nanoTime() - begin) / 1e9;
        if (exchange.sum().get(0) != 2 || exchange.sum().get(floats - 1) != 2) {
          throw new IllegalStateException("The sum is wrong.");
        }
        agent.report(new Report.Step(1, round, 0, 0, 0, seconds, 0, 0));
        // Who is through may not begin before the other one is.
        meet(session, said, form.rank(), "through " + round);
      }
      System.in.read();
    }
  }

  private static void meet(Session session, Map<String, Boolean> said, int rank, String word)
      throws Exception {
    session.ask(1 - rank, word.getBytes(StandardCharsets.UTF_8));
    session.await("The other one did not come.", () -> said.containsKey(word));
  }

  private record Summing(Exchange exchange, Map<String, Boolean> said) implements Conversation {

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

  // Gloo.

  private static double gloo(int floats) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    List<Process> processes = new ArrayList<>();
    try {
      for (int rank = 0; rank < 2; rank++) {
        ProcessBuilder builder =
            new ProcessBuilder(
                "/usr/bin/python3",
                "-c",
                GLOO,
                Integer.toString(rank),
                Integer.toString(floats),
                Integer.toString(port),
                Integer.toString(WARM_UP),
                Integer.toString(ROUNDS));
        builder.environment().put("OMP_NUM_THREADS", "1");
        builder.environment().put("GLOO_SOCKET_IFNAME", "lo");
        processes.add(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
      }
      double slowest = 0;
      for (Process process : processes) {
        if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
          throw new IOException("gloo failed: is there a torch for /usr/bin/python3?");
        }
        String text =
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        slowest = Math.max(slowest, Double.parseDouble(text));
      }
      return slowest;
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }
}
