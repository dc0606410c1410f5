package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.checkpoint.format.Version;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A meeting place where withdrawals hang, as at a frozen anchor, until it is opened. */
final class SlowAssembly implements Assembly {

  private final Assembly real = new LocalAssembly(InstantSource.system());
  private final CountDownLatch called = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);
  private final CountDownLatch opened = new CountDownLatch(1);
  private final List<Long> withdrawn = new CopyOnWriteArrayList<>();

  @Override
  public CompletableFuture<Void> contribute(String tier, WorkerPart part, Commit commit) {
    return real.contribute(tier, part, commit);
  }

  @Override
  public void withdraw(String tier, Version version, int worker, String reason) {
    called.countDown();
    try {
      if (opened.await(60, TimeUnit.SECONDS)) {
        withdrawn.add(version.step());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      interrupted.countDown();
    }
  }

  void awaitCall() throws InterruptedException {
    assertThat(called.await(30, TimeUnit.SECONDS)).isTrue();
  }

  void awaitInterruption() throws InterruptedException {
    assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
  }

  void open() {
    opened.countDown();
  }

  /** Returns the steps that were withdrawn, in this order. */
  List<Long> withdrawn() {
    return withdrawn;
  }
}
