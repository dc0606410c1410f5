package io.deepvm.cluster.agent;

import io.deepvm.base.DaemonThreads;
import io.deepvm.base.PlainText;
import io.deepvm.base.PrivateFiles;
import io.deepvm.cluster.member.Lines;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.output.PrintedLine.Pipe;
import java.io.BufferedOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Processes of the operating system, each the head of a session of its own, so that it can be
 * signalled with all that it started.
 *
 * <p>They die with this process, even by SIGKILL. The kernel kills the head when the thread that
 * started it ends (setpriv --pdeathsig), hence the one thread that starts all of them. A watcher in
 * the same process group kills what a command has started in turn. It waits for the end of a pipe
 * that this process holds.
 */
public final class ProcessLauncher implements Launcher {

  private static final int TAIL_CHARS = 4_000;
  private static final int BUFFER_CHARS = 8_192;
  private static final Duration DRAIN = Duration.ofSeconds(2);
  private static final Duration SIGNALLED = Duration.ofSeconds(5);

  private static final List<String> ALONE =
      List.of("setsid", "setpriv", "--pdeathsig", "KILL", "--");

  private static final String WATCHED =
      "exec 3<&0; { trap '' HUP INT TERM USR1 USR2; cat <&3; kill -KILL 0; } >/dev/null 2>&1 &"
          + " exec \"$@\" </dev/null 3<&-";

  private final Path folder;
  private final Path directory;
  private final boolean listens;
  private final ExecutorService spawner;

  /**
   * Launches processes whose output goes to files in the folder.
   *
   * @param directory where they start
   * @param listens whether they take orders from their standard input
   */
  public ProcessLauncher(Path folder, Path directory, boolean listens) {
    this.folder = folder;
    this.directory = directory;
    this.listens = listens;
    this.spawner = Executors.newSingleThreadExecutor(DaemonThreads.named("spawner"));
  }

  @Override
  public Child launch(
      List<String> command, Map<String, String> environment, int localRank, Listener listener)
      throws IOException {
    List<String> line = new ArrayList<>(ALONE);
    if (!listens) {
      line.addAll(List.of("sh", "-c", WATCHED, "sh"));
    }
    line.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().putAll(environment);
    builder.directory(directory.toFile());
    try {
      Process process = spawner.submit(builder::start).get();
      return new Running(process, localRank, listener);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while a process was started.", e);
    } catch (ExecutionException e) {
      throw new IOException("The process cannot be started: " + e.getCause(), e);
    }
  }

  /** One of them. */
  private final class Running implements Child {

    private final Process process;
    private final Listener listener;
    private final String suffix;
    private final OutputStream input;
    private final StringBuilder tail = new StringBuilder();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicBoolean asked = new AtomicBoolean();

    Running(Process process, int localRank, Listener listener) {
      this.process = process;
      this.suffix = localRank == 0 ? ".log" : "-" + localRank + ".log";
      this.listener = listener;
      this.input = process.getOutputStream();
      Thread out = start("child-out", () -> copy(process.getInputStream(), Pipe.OUT));
      Thread err = start("child-err", () -> copy(process.getErrorStream(), Pipe.ERR));
      start("child-end", () -> await(out, err));
    }

    private Thread start(String name, Runnable task) {
      Thread thread = DaemonThreads.start(name, task);
      return thread;
    }

    private void copy(InputStream from, Pipe pipe) {
      Path file = folder.resolve((pipe == Pipe.OUT ? "out" : "err") + suffix);
      ShownLines shown =
          new ShownLines(System::nanoTime, text -> listener.printed(pipe, PlainText.of(text)));
      // A stream that hides that the disk is full: it is no reason to let the process wait.
      try (Reader reader = new InputStreamReader(watched(from), StandardCharsets.UTF_8);
          PrintStream log =
              new PrintStream(
                  new BufferedOutputStream(
                      Files.newOutputStream(PrivateFiles.create(file), StandardOpenOption.APPEND)),
                  false,
                  StandardCharsets.UTF_8)) {
        LineSplitter lines = new LineSplitter((text, end) -> line(text, end, pipe, log, shown));
        char[] chars = new char[BUFFER_CHARS];
        for (int count = reader.read(chars); count >= 0; count = reader.read(chars)) {
          lines.feed(chars, count);
          log.flush();
        }
        lines.close();
      } catch (IOException e) {
        // The process is gone.
      }
      shown.close();
    }

    private void line(
        String text, LineSplitter.End end, Pipe pipe, PrintStream log, ShownLines shown) {
      if (pipe == Pipe.OUT && end == LineSplitter.End.LINE && text.startsWith("{\"report\":")) {
        listener.reported(text);
        return;
      }
      log.print(end == LineSplitter.End.CUT ? text : text + "\n");
      if (pipe == Pipe.ERR) {
        remember(PlainText.of(text));
      }
      shown.line(text, end);
    }

    private InputStream watched(InputStream from) {
      return new FilterInputStream(from) {
        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
          int count = super.read(bytes, offset, length);
          listener.wrote();
          return count;
        }
      };
    }

    private synchronized void remember(String line) {
      tail.append(line).append('\n');
      if (tail.length() > TAIL_CHARS) {
        tail.delete(0, tail.length() - TAIL_CHARS);
      }
    }

    private void await(Thread out, Thread err) {
      try {
        int code = process.waitFor();
        // Whatever it left behind would keep the pipes open, and its ports.
        killGroup();
        out.join(DRAIN.toMillis());
        err.join(DRAIN.toMillis());
        ended.countDown();
        String text;
        synchronized (this) {
          text = tail.toString().strip();
        }
        listener.exited(code, text);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void order(Order order) {
      try {
        synchronized (input) {
          input.write((Lines.of(order) + "\n").getBytes(StandardCharsets.UTF_8));
          input.flush();
        }
      } catch (IOException e) {
        // It ends, or has ended: its exit is reported.
      }
    }

    @Override
    public void signal(String name) {
      Signals.send(name, process.pid());
    }

    @Override
    public void stop(String reason, Duration patience) {
      try {
        if (process.isAlive()) {
          if (asked.getAndSet(true)) {
            // A second TERM would end a process that saves because of the first.
          } else if (listens) {
            order(new Order.Stop(reason));
          } else {
            signal("TERM");
          }
          process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        }
        kill();
        if (!ended.await(SIGNALLED.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new IllegalStateException("The process %d does not end.".formatted(process.pid()));
        }
      } catch (InterruptedException e) {
        kill();
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void kill() {
      if (ended.getCount() == 0) {
        // Its number may be somebody else's by now.
        return;
      }
      if (process.isAlive()) {
        // Of one that has ended it would close the streams, and nobody could read its last words.
        process.destroyForcibly();
      }
      killGroup();
    }

    /** Ends all it started, and leaves its last words to be read. */
    private void killGroup() {
      Signals.send("KILL", process.pid());
      try {
        input.close();
      } catch (IOException e) {
        // The reader is gone.
      }
    }
  }
}
