package io.deepvm.cluster;

import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A training process without training: it speaks with its agent as a real one does, and counts
 * steps, which its first member keeps in the checkpoint folder.
 *
 * <p>Arguments: how many steps, milliseconds per step, and what goes wrong, if anything:
 *
 * <ul>
 *   <li>"dies", "hangs": at its start
 *   <li>"parts": saves only after a notice, which takes it three seconds
 *   <li>"needs" and a number: the last step needs at least this many members
 * </ul>
 */
public final class FakeMember {

  private FakeMember() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    long steps = Long.parseLong(args[0]);
    long ms = Long.parseLong(args[1]);
    String fault = args.length > 2 ? args[2] : "";
    int least = fault.equals("needs") ? Integer.parseInt(args[3]) : 0;
    int members = 0;
    Path saved = Path.of(System.getenv("DEEPVM_CHECKPOINT"), "step");
    if (fault.equals("dies")) {
      System.err.println("cannot find the data");
      System.exit(3);
    }
    boolean parts = fault.equals("parts");
    ServerSocket door = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    if (!fault.equals("hangs")) {
      say(new Report.Ready(door.getLocalPort()));
    }
    AtomicReference<Order> newest = new AtomicReference<>();
    daemon(() -> listen(newest));
    long step = -1;
    long generation = 0;
    boolean first = false;
    while (true) {
      Order order = newest.getAndSet(null);
      if (order instanceof Order.Stop) {
        say(new Report.Saved(Math.max(0, step), "ARCHIVED", "stopped"));
        System.exit(0);
      } else if (order instanceof Order.Notice && parts) {
        say(new Report.Saved(step, "REPLICATED", "noticed"));
        Thread.sleep(3000);
        say(new Report.Saved(step, "DURABLE", "noticed"));
      } else if (order instanceof Order.Form form) {
        generation = form.generation();
        first = form.rank() == 0;
        members = form.members().size();
        Report.Origin from = step < 0 ? Report.Origin.CHECKPOINT : Report.Origin.KEPT;
        step = Math.max(step, load(saved));
        say(new Report.Formed(generation, step, from));
      }
      Thread.sleep(ms);
      if (generation > 0 && newest.get() == null) {
        step = Math.min(members < least ? steps - 1 : steps, step + 1);
        say(new Report.Step(generation, step, step * 64, 1.0 / step, ms / 1e3, 0, 0, 0));
        if (first && !parts) {
          save(saved, step);
          say(new Report.Saved(step, "DURABLE", ""));
        }
        if (step >= steps) {
          say(new Report.Finished(step, step * 64, 1.0 / step));
          generation = 0;
        }
      }
    }
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  private static void listen(AtomicReference<Order> newest) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        newest.set(Lines.order(line));
      }
    } catch (IOException e) {
      // The agent is gone.
    }
    System.exit(1);
  }

  private static long load(Path saved) throws IOException {
    return Files.exists(saved) ? Long.parseLong(Files.readString(saved)) : 0;
  }

  private static void save(Path saved, long step) throws IOException {
    Path fresh = saved.resolveSibling("step." + System.getenv("DEEPVM_NODE"));
    Files.writeString(fresh, Long.toString(step));
    Files.move(fresh, saved, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static synchronized void say(Report report) {
    System.out.println(Lines.of(report));
  }
}
