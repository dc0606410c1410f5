package io.deepvm.checkpoint.simulation;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A {@link CompletableFuture} that is waited for on the scheduler. */
public class SimulatedFuture<T> extends CompletableFuture<T> {

  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new SimulatedFuture<>();
  }

  private void await(long until, boolean interruptible) throws InterruptedException {
    SimulatedThread me = SimulatedThread.current();
    Scheduler scheduler = me.scheduler();
    scheduler.point(me);
    boolean asked = false;
    while (!isDone() && scheduler.now() < until) {
      if (interruptible) {
        me.checkInterrupt();
      }
      if (!asked) {
        asked = true;
        var unused = super.whenComplete((value, problem) -> scheduler.wake(me));
      }
      scheduler.block(me, until);
    }
    if (interruptible && !isDone()) {
      me.checkInterrupt();
    }
  }

  @Override
  public T get() throws InterruptedException, ExecutionException {
    await(Long.MAX_VALUE, true);
    return super.get();
  }

  @Override
  public T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    Scheduler scheduler = SimulatedThread.current().scheduler();
    await(scheduler.now() + unit.toNanos(timeout), true);
    if (!isDone()) {
      throw new TimeoutException();
    }
    return super.get();
  }

  @Override
  public T join() {
    try {
      await(Long.MAX_VALUE, false);
    } catch (InterruptedException e) {
      throw new CompletionException(e);
    }
    return super.join();
  }

  @Override
  public CompletableFuture<T> orTimeout(long timeout, TimeUnit unit) {
    if (!isDone()) {
      World world = World.current();
      SimulatedThread.current()
          .process()
          .start(
              "timeout",
              () -> {
                SimulatedThread me = SimulatedThread.current();
                long until = world.scheduler().now() + unit.toNanos(timeout);
                var unused = super.whenComplete((value, problem) -> world.scheduler().wake(me));
                while (!isDone() && world.scheduler().now() < until) {
                  world.scheduler().block(me, until);
                }
                completeExceptionally(new TimeoutException());
              });
    }
    return this;
  }
}
