package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.cluster.output.PrintedLines;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OutputRelayTest {

  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch open = new CountDownLatch(1);

  /** A terminal that shows nothing before it is opened. */
  private final RunListener slow =
      new RunListener() {
        @Override
        public void accept(Logged logged) {}

        @Override
        public void printed(String node, PrintedLines lines) {
          try {
            open.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          lines.lines().forEach(line -> seen.add(node + " " + line.text()));
        }
      };

  private static PrintedLines lines(long number, String text) {
    return new PrintedLines(number, 0, List.of(new PrintedLine(0, PrintedLine.Pipe.OUT, text)));
  }

  @Test
  void linesThatAreSentTwiceAreShownOnceAndAnsweredTwice() throws Exception {
    CountDownLatch answers = new CountDownLatch(4);
    try (OutputRelay relay = new OutputRelay(slow)) {
      relay.received("n1", lines(1, "a"), answers::countDown);
      relay.received("n1", lines(1, "a"), answers::countDown);
      relay.received("n2", lines(1, "of another node"), answers::countDown);
      relay.received("n1", lines(2, "b"), answers::countDown);
      // a terminal that stands still holds up nobody, and nothing is lost
      assertThat(relay.isBusy()).isTrue();
      assertThat(seen).isEmpty();
      open.countDown();
      assertThat(answers.await(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(seen).containsExactly("n1 a", "n2 of another node", "n1 b");
  }

  @Test
  void linesThatComeAfterTheEndAreLetGo() {
    OutputRelay relay = new OutputRelay(slow);
    relay.close();
    relay.received("n1", lines(1, "late"), () -> seen.add("answered"));
    assertThat(relay.isBusy()).isFalse();
    assertThat(seen).isEmpty();
  }
}
