package io.deepvm.trainer.member;

import io.deepvm.base.BadInput;
import io.deepvm.base.DaemonThreads;
import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The agent this process serves: orders come from it, reports go to it. The training thread waits
 * here for anything it waits for, so that an order never finds it deaf.
 */
public final class AgentChannel {

  /** What is waited for. */
  public interface Condition {

    /** Whether it has come about; throws when it cannot any more. */
    boolean met() throws PeerLost;
  }

  private final InputStream in;
  private final PrintStream out;
  private final Runnable orphaned;
  private Order.@Nullable Form form;
  private Order.@Nullable Stop stop;
  private Order.@Nullable Notice notice;
  private long wakes;
  private volatile Consumer<Order.Notice> noticed = notice -> {};

  /** Talks over these streams; runs the action when the agent is gone. */
  public AgentChannel(InputStream in, PrintStream out, Runnable orphaned) {
    this.in = in;
    this.out = out;
    this.orphaned = orphaned;
  }

  /** Begins to listen. */
  public void start() {
    DaemonThreads.start("orders", this::listen);
  }

  private void listen() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        try {
          take(Lines.order(line));
        } catch (BadInput e) {
          System.err.println(e.getMessage());
        }
      }
    } catch (IOException e) {
      System.err.println("Orders cannot be read: " + e.getMessage());
    }
    orphaned.run();
  }

  private synchronized void take(Order order) {
    if (order instanceof Order.Form next) {
      if (form == null || next.generation() > form.generation()) {
        form = next;
      }
    } else if (order instanceof Order.Notice next) {
      notice = next;
    } else if (order instanceof Order.Stop next) {
      stop = next;
    }
    wake();
  }

  /** Sends a report to the agent. */
  public void report(Report report) {
    synchronized (out) {
      out.println(Lines.of(report));
      out.flush();
    }
  }

  /** Lets the waiting thread look again. */
  public synchronized void wake() {
    wakes++;
    notifyAll();
  }

  /** Returns why training shall stop, null if it shall not. */
  public synchronized @Nullable String stopped() {
    return stop == null ? null : stop.reason();
  }

  /** Waits for a newer generation than this; null when training shall stop or the time is up. */
  public synchronized Order.@Nullable Form next(long after, Duration atMost)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (stop == null) {
      Order.Form newest = form;
      if (newest != null && newest.generation() > after) {
        return newest;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return null;
      }
      wait(left / 1_000_000 + 1);
    }
    return null;
  }

  /** Looks for orders: sees to a notice, and ends what an older generation does. */
  public void check(long generation) throws GenerationOver {
    Order.Notice taken;
    synchronized (this) {
      taken = notice;
      notice = null;
    }
    if (taken != null) {
      noticed.accept(taken);
    }
    synchronized (this) {
      if (stop != null || (form != null && form.generation() > generation)) {
        throw new GenerationOver();
      }
    }
  }

  /** Says what to do with notices, on the thread that waits or looks for orders. */
  public void onNotice(Consumer<Order.Notice> action) {
    noticed = action;
  }

  /** Waits, in this generation; returns whether it came about before the time was up. */
  public boolean await(long generation, Duration atMost, Condition condition)
      throws GenerationOver, PeerLost, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      long seen;
      synchronized (this) {
        seen = wakes;
      }
      check(generation);
      // Not under the lock: what it looks at has locks of its own.
      if (condition.met()) {
        return true;
      }
      synchronized (this) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        if (seen == wakes) {
          wait(left / 1_000_000 + 1);
        }
      }
    }
  }
}
