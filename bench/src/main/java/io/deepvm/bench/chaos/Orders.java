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
 * point and say so, for the kill to fall there. When the input ends the process does too.
 */
final class Orders implements FaultPoints {

  private String armed = "";

  void start() {
    Thread thread = new Thread(this::listen, "orders");
    thread.setDaemon(true);
    thread.start();
  }

  private void listen() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        arm(line.substring("ARM ".length()));
      }
    } catch (IOException e) {
      // as if it had ended
    }
    Runtime.getRuntime().halt(0);
  }

  private synchronized void arm(String point) {
    armed = point;
  }

  /** Whether to stop here; only once, and only the first of several threads. */
  private synchronized boolean isArmed(FaultPoint point) {
    boolean here = armed.equals(point.name());
    armed = here ? "" : armed;
    return here;
  }

  @Override
  public void reached(FaultPoint point) throws IOException {
    if (isArmed(point)) {
      say("AT " + point);
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
