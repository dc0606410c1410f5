package io.deepvm.checkpoint.agent;

import io.deepvm.checkpoint.tier.FaultPoint;
import io.deepvm.checkpoint.tier.FaultPoints;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Lets nothing be written until it is opened. */
final class Gate implements FaultPoints {

  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);

  @Override
  public void reached(FaultPoint point) throws IOException {
    try {
      reached.countDown();
      if (!opened.await(60, TimeUnit.SECONDS)) {
        throw new IOException("The gate was not opened.");
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  boolean awaitReached() throws InterruptedException {
    return reached.await(30, TimeUnit.SECONDS);
  }

  void open() {
    opened.countDown();
  }
}
