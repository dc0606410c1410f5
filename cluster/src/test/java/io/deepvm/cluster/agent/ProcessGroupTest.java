package io.deepvm.cluster.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.output.PrintedLine;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProcessGroupTest {

  private final List<Fake> fakes = new ArrayList<>();
  private final List<String> heard = Collections.synchronizedList(new ArrayList<>());
  private final CompletableFuture<ProcessGroup.Exit> exit = new CompletableFuture<>();

  /** A process that does nothing and ends on request. */
  private static final class Fake implements Child {

    private final Launcher.Listener listener;
    private boolean ended;
    private final List<String> told = Collections.synchronizedList(new ArrayList<>());

    Fake(Launcher.Listener listener) {
      this.listener = listener;
    }

    @Override
    public void order(Order order) {
      told.add("order");
    }

    @Override
    public void signal(String name) {
      told.add(name);
    }

    @Override
    public void stop(String reason, Duration patience) {
      told.add("stop");
      end(143, "stopped");
    }

    /** Ends, unless it has. */
    synchronized void end(int code, String tail) {
      if (!ended) {
        ended = true;
        listener.exited(code, tail);
      }
    }

    @Override
    public void kill() {
      told.add("kill");
    }
  }

  private ProcessGroup launch(int size, @Nullable Integer refused) throws IOException {
    Launcher launcher =
        (command, environment, localRank, listener) -> {
          if (refused != null && localRank == refused) {
            throw new IOException("no room");
          }
          Fake fake = new Fake(listener);
          fakes.add(fake);
          return fake;
        };
    return ProcessGroup.launch(
        launcher,
        List.of("train"),
        Collections.nCopies(size, Map.of()),
        Duration.ofSeconds(1),
        new ProcessGroup.Listener() {
          @Override
          public void wrote() {
            heard.add("wrote");
          }

          @Override
          public void reported(String line) {
            heard.add(line);
          }

          @Override
          public void printed(int localRank, PrintedLine.Pipe pipe, String text) {
            heard.add(localRank + " " + pipe + " " + text);
          }

          @Override
          public void exited(ProcessGroup.Exit end) {
            exit.complete(end);
          }
        });
  }

  @Test
  void theGroupEndsWellWhenItsLastProcessHas() throws Exception {
    ProcessGroup unused = launch(2, null);
    fakes.get(1).end(0, "");
    assertThat(exit).isNotDone();
    fakes.get(0).end(0, "");
    assertThat(exit).isCompletedWithValue(new ProcessGroup.Exit(null, 0, ""));
    assertThat(fakes).allSatisfy(fake -> assertThat(fake.told).isEmpty());
  }

  @Test
  void oneThatFailsEndsTheOthersAndIsNamed() throws Exception {
    ProcessGroup unused = launch(3, null);
    fakes.get(0).end(0, "");
    fakes.get(1).end(9, "no data");
    ProcessGroup.Exit end = exit.get(60, TimeUnit.SECONDS);
    assertThat(end).isEqualTo(new ProcessGroup.Exit(1, 9, "no data"));
    assertThat(fakes.get(2).told).contains("stop");
  }

  @Test
  void theOnlyProcessOfANodeIsNotNamed() throws Exception {
    ProcessGroup unused = launch(1, null);
    fakes.get(0).end(9, "no data");
    assertThat(exit).isCompletedWithValue(new ProcessGroup.Exit(null, 9, "no data"));
  }

  @Test
  void signalsOrdersAndKillsReachAll() throws Exception {
    ProcessGroup group = launch(2, null);
    group.signal("USR1");
    group.order(new Order.Notice(30));
    group.kill();
    assertThat(fakes)
        .allSatisfy(fake -> assertThat(fake.told).containsExactly("USR1", "order", "kill"));
  }

  @Test
  void linesCarryTheLocalRank() throws Exception {
    ProcessGroup unused = launch(2, null);
    fakes.get(1).listener.printed(PrintedLine.Pipe.ERR, "hello");
    fakes.get(0).listener.wrote();
    assertThat(heard).containsExactly("1 ERR hello", "wrote");
  }

  @Test
  void noneIsLeftWhenOneCannotBeStarted() {
    assertThatThrownBy(() -> launch(3, 2)).isInstanceOf(IOException.class).hasMessage("no room");
    assertThat(fakes).hasSize(2).allSatisfy(fake -> assertThat(fake.told).containsExactly("kill"));
  }
}
