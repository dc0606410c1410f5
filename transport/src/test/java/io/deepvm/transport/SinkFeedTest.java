package io.deepvm.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SinkFeedTest {

  private static final Limits LIMITS = Limits.USUAL;

  private final ArrayDeque<Runnable> work = new ArrayDeque<>();
  private final Gate gate = new Gate();
  private final Budget budget = new Budget(LIMITS);
  private final List<String> events = new ArrayList<>();
  private final SinkFeed.Owner owner =
      new SinkFeed.Owner() {
        @Override
        public void written(ReceivedChunk chunk) {
          events.add("written " + chunk.offset());
        }

        @Override
        public void failed(Exception problem) {
          events.add("failed " + problem.getMessage());
          gate.shut(() -> events.add("shut"));
        }

        @Override
        public void drained() {
          events.add("drained");
        }
      };

  private SinkFeed feed(Sink sink) {
    return new SinkFeed(gate, work::add, budget, sink, owner);
  }

  private ReceivedChunk chunk(long offset) {
    assertThat(budget.take(1)).isEqualTo(1);
    return new ReceivedChunk(offset, 10, 0, budget.borrow().limit(10));
  }

  private void runAll() {
    for (Runnable task = work.poll(); task != null; task = work.poll()) {
      task.run();
    }
  }

  @Test
  void chunksGoToTheSinkInOrderOnOneWorker() {
    SinkFeed feed = feed((offset, bytes) -> events.add("sink " + offset));
    feed.add(chunk(0));
    feed.add(chunk(10));

    assertThat(work).as("one worker for both").hasSize(1);
    assertThat(feed.isIdle()).isFalse();
    runAll();
    assertThat(events).containsExactly("sink 0", "written 0", "sink 10", "written 10", "drained");
    assertThat(feed.isIdle()).isTrue();
    assertThat(budget.lentBytes()).isZero();
  }

  @Test
  void aSinkThatFailsEndsTheFeedAndAllBuffersComeBack() {
    SinkFeed feed =
        feed(
            (offset, bytes) -> {
              throw new IOException("disk full");
            });
    feed.add(chunk(0));
    feed.add(chunk(10));
    runAll();

    assertThat(events).containsExactly("failed disk full", "shut");
    feed.drop();
    assertThat(budget.lentBytes()).isZero();
  }

  @Test
  void nothingIsWrittenOnceTheGateIsShut() {
    SinkFeed feed = feed((offset, bytes) -> events.add("sink"));
    feed.add(chunk(0));
    gate.shut(() -> {});
    runAll();
    feed.drop();

    assertThat(events).isEmpty();
    assertThat(budget.lentBytes()).isZero();
  }
}
