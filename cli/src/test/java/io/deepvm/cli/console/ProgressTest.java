package io.deepvm.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class ProgressTest {

  @Test
  void slowWorkIsAnnouncedAndWipedWhenDone() throws InterruptedException {
    CountDownLatch drawn = new CountDownLatch(1);
    StringWriter text =
        new StringWriter() {
          @Override
          public void flush() {
            drawn.countDown();
          }
        };
    Progress progress = new Progress(terminal(text, true), "Planning", Duration.ZERO);
    drawn.await();
    progress.close();
    assertThat(text.toString()).startsWith("\rPlanning ... 0 s").endsWith("\r\u001b[K");
  }

  @Test
  void nothingIsDrawnWhereNobodyWatches() {
    StringWriter text = new StringWriter();
    assertThat(Progress.during(terminal(text, false), "Planning", () -> 7)).isEqualTo(7);
    assertThat(text.toString()).isEmpty();
  }

  private static Terminal terminal(StringWriter text, boolean live) {
    PrintWriter writer = new PrintWriter(text);
    return new Terminal(writer, writer, false, live, false, Clock.systemUTC());
  }
}
