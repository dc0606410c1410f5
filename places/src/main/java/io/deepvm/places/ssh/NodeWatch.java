package io.deepvm.places.ssh;

import io.deepvm.base.DaemonThreads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the nodes of one host over one session: renews their leases and reports which have
 * ended. A node that could not be renewed for longer than its lease has ended, whatever happened to
 * its host.
 */
final class NodeWatch implements AutoCloseable {

  private static final long LOOK_MS = 500;
  private static final long RETRY_MS = 1000;

  /** Longest wait for an answer of a host whose connection lasts. */
  private static final Duration ANSWER = Duration.ofSeconds(20);

  /** After its lease a node needs this long to end, and clocks of machines differ. */
  private static final Duration MARGIN = Duration.ofSeconds(15);

  /** Receives reports, on a thread of the watch. */
  interface Listener {

    /**
     * The node lives.
     *
     * @param port where it waits for the coordinator; 0 if it has not said so
     */
    void lives(String node, int port);

    void ended(String node);

    /** The node could not be reached for longer than its lease. */
    void expired(String node);
  }

  private final HostLink link;
  private final double leaseSeconds;
  private final BooleanSupplier mayRenew;
  private final Listener listener;
  private final Set<String> nodes = new TreeSet<>();
  private long contactNanos;
  private @Nullable Thread thread;
  private @Nullable Process session;
  private BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private boolean closed;

  /**
   * Prepares to look after nodes.
   *
   * @param mayRenew whether leases are renewed; otherwise it only looks
   */
  NodeWatch(HostLink link, double leaseSeconds, BooleanSupplier mayRenew, Listener listener) {
    this.link = link;
    this.leaseSeconds = leaseSeconds;
    this.mayRenew = mayRenew;
    this.listener = listener;
  }

  /** Looks after a node from now on. */
  synchronized void follow(String node) {
    if (nodes.isEmpty()) {
      contactNanos = System.nanoTime();
    }
    nodes.add(node);
    if (thread == null && !closed) {
      thread = new Thread(this::run, "ssh-watch");
      thread.setDaemon(true);
      thread.start();
    }
    notifyAll();
  }

  /** Leaves a node alone. */
  synchronized void leave(String node) {
    nodes.remove(node);
  }

  private void run() {
    try {
      for (Set<String> now = next(); now != null; now = next()) {
        Thread.sleep(look(now) ? LOOK_MS : RETRY_MS);
      }
    } catch (InterruptedException e) {
      // The watch is closed.
    }
  }

  /** Waits for nodes to look at, and returns them; null if the watch is closed. */
  private synchronized @Nullable Set<String> next() throws InterruptedException {
    while (nodes.isEmpty() && !closed) {
      wait();
    }
    return closed ? null : new TreeSet<>(nodes);
  }

  private boolean look(Set<String> now) throws InterruptedException {
    try {
      Process open = session();
      long asked = System.nanoTime();
      OutputStream to = open.getOutputStream();
      long seconds = mayRenew.getAsBoolean() ? Math.max(1, Math.round(leaseSeconds)) : 0;
      String line = "%d %s\n".formatted(seconds, String.join(" ", now));
      to.write(line.getBytes(StandardCharsets.UTF_8));
      to.flush();
      for (String answer = answer(); !answer.equals("."); answer = answer()) {
        report(answer.split(" ", -1));
      }
      synchronized (this) {
        contactNanos = asked;
      }
      return true;
    } catch (IOException e) {
      end();
      reportExpired();
      return false;
    }
  }

  private Process session() throws IOException {
    Process open = session;
    if (open == null || !open.isAlive()) {
      open = link.connected().session(link.command("watch"));
      session = open;
      BlockingQueue<String> lines = new LinkedBlockingQueue<>();
      answers = lines;
      Process reading = open;
      DaemonThreads.start("ssh-watch-reader", () -> read(reading, lines));
    }
    return open;
  }

  private static void read(Process from, BlockingQueue<String> to) {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(from.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        to.add(line);
      }
    } catch (IOException e) {
      // The session has ended.
    }
    to.add("");
  }

  private String answer() throws IOException, InterruptedException {
    String line = answers.poll(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
    if (line == null || line.isEmpty() || line.equals("none")) {
      throw new IOException("the host does not answer");
    }
    return line;
  }

  private void report(String[] words) {
    synchronized (this) {
      if (!nodes.contains(words[0])) {
        return;
      }
    }
    if (words.length == 3 && words[1].equals("lives") && words[2].matches("[0-9]{1,5}")) {
      listener.lives(words[0], Integer.parseInt(words[2]));
    } else {
      listener.ended(words[0]);
    }
  }

  private void reportExpired() {
    Set<String> lost;
    synchronized (this) {
      double silent = (System.nanoTime() - contactNanos) / 1e9;
      if (silent < leaseSeconds + MARGIN.toSeconds()) {
        return;
      }
      lost = new TreeSet<>(nodes);
    }
    lost.forEach(listener::expired);
  }

  private void end() {
    Process open = session;
    session = null;
    if (open != null) {
      open.destroyForcibly();
    }
  }

  @Override
  public void close() {
    Thread running;
    synchronized (this) {
      closed = true;
      running = thread;
      notifyAll();
    }
    if (running != null) {
      running.interrupt();
      end();
    }
  }
}
