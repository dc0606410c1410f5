package io.deepvm.bench.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A process of the harness, and the last thing it has said under each word. */
final class Child {

  private final Process process;
  private final Thread reader;
  private final Writer orders;
  private final Consumer<String> listener;
  private final Map<String, String> said = new HashMap<>();

  /** When the last step came; zero when there was none since the process was let go on. */
  private long stepAt;

  private long longestStep;

  private Child(Process process, Consumer<String> listener) {
    this.process = process;
    this.listener = listener;
    this.orders = process.outputWriter();
    reader = new Thread(this::read, "child " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Starts a main class of ours; what it writes to its error stream goes to a log.
   *
   * @param listener hears each line that it says
   */
  static Child start(Class<?> main, Path log, List<?> arguments, Consumer<String> listener)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m"));
    command.addAll(ObjectStore.credentials());
    command.addAll(List.of("-cp", classPath(), main.getName()));
    arguments.forEach(argument -> command.add(argument.toString()));
    return new Child(
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start(),
        listener);
  }

  private static String classPath() {
    return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  }

  private void read() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        hear(line);
      }
    } catch (IOException e) {
      // it was killed
    }
    synchronized (this) {
      notifyAll();
    }
  }

  private void hear(String line) {
    listener.accept(line);
    note(line);
  }

  private synchronized void note(String line) {
    String[] words = line.split(" ", 2);
    if (words[0].equals("STEP")) {
      long now = System.nanoTime();
      longestStep = stepAt == 0 ? longestStep : Math.max(longestStep, now - stepAt);
      stepAt = now;
    }
    if (words[0].equals("CLAIMED")) {
      // to take over may take longer than a step
      stepAt = 0;
    }
    said.put(words[0], words.length == 1 ? "" : words[1]);
    notifyAll();
  }

  /** Returns what it said last under a word; empty when it has said nothing. */
  synchronized String said(String word) {
    return said.getOrDefault(word, "");
  }

  /** Returns whether it has ever used a word. */
  synchronized boolean hasSaid(String word) {
    return said.containsKey(word);
  }

  /** Returns the number it said last under a word; zero when it has said none. */
  long number(String word) {
    String text = said(word);
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  /** Returns the longest time between two steps, without those when it was made to stand still. */
  synchronized Duration longestStep() {
    return Duration.ofNanos(longestStep);
  }

  private synchronized void forgetStep() {
    stepAt = 0;
  }

  /** Tells it something; one that has died hears nothing. */
  void tell(String order) {
    try {
      orders.write(order + "\n");
      orders.flush();
    } catch (IOException e) {
      // it has died, which whoever waits for it will see
    }
  }

  /** Waits for what it says; false when that does not come within so many seconds, or it ends. */
  synchronized boolean await(int seconds, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0 || !reader.isAlive()) {
        return condition.getAsBoolean();
      }
      wait(Math.min(left, 100));
    }
    return true;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Stops it where it is (SIGSTOP), or lets it go on (SIGCONT). */
  void pause(boolean on) throws IOException, InterruptedException {
    if (isAlive()) {
      forgetStep();
      String signal = on ? "STOP" : "CONT";
      Process kill =
          new ProcessBuilder("sh", "-c", "kill -%s %d".formatted(signal, process.pid()))
              .redirectErrorStream(true)
              .start();
      kill.getInputStream().readAllBytes();
      kill.waitFor(10, TimeUnit.SECONDS);
      forgetStep();
    }
  }

  /** Kills it, as kill -9 does, and hears what it said last. */
  void kill() throws InterruptedException {
    // by its handle, which leaves the stream open
    process.toHandle().destroyForcibly();
    process.waitFor(30, TimeUnit.SECONDS);
    reader.join(5_000);
  }

  /** Kills it without waiting. */
  void end() {
    process.destroyForcibly();
  }
}
