package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.tier.FaultPoint;
import io.deepvm.checkpoint.tier.FaultPoints;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/**
 * What a process of the harness is told on its standard input: "ARM POINT" makes it stop at that
 * point and say so, for the kill to fall there; "SLOW MILLIS" makes each step of the protocol take
 * so long. When the input ends the process does too.
 */
final class Orders implements FaultPoints {

  private String armed = "";
  private long slow;

  void start() {
    Thread thread = new Thread(this::listen, "orders");
    thread.setDaemon(true);
    thread.start();
  }

  private void listen() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        obey(line.split(" ", 2));
      }
    } catch (IOException e) {
      // as if it had ended
    }
    Runtime.getRuntime().halt(0);
  }

  private synchronized void obey(String[] words) {
    switch (words[0]) {
      case "ARM" -> armed = words[1];
      case "SLOW" -> slow = Long.parseLong(words[1]);
      default -> say("UNKNOWN " + words[0]);
    }
  }

  /** Whether to stop here; only once, and only the first of several threads. */
  private synchronized boolean isArmed(FaultPoint point) {
    boolean here = armed.equals(point.name());
    armed = here ? "" : armed;
    return here;
  }

  private synchronized long slowness() {
    return slow;
  }

  @Override
  public void reached(FaultPoint point) throws IOException {
    try {
      if (isArmed(point)) {
        say("AT " + point);
        new CountDownLatch(1).await();
      }
      long millis = slowness();
      if (millis > 0) {
        Thread.sleep(millis);
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
