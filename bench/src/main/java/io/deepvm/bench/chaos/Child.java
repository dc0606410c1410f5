package io.deepvm.bench.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A process of the harness and what it has said. */
final class Child {

  private final Process process;
  private final Thread reader;
  private final Writer orders;
  private long step;
  private long durable;
  private boolean ready;
  private boolean wrong;
  private String at = "";

  private Child(Process process) {
    this.process = process;
    this.orders = process.outputWriter();
    reader = new Thread(this::read, "child " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  static Child start(Class<?> main, Path log, Object... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m"));
    command.addAll(List.of("-cp", classPath(), main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return new Child(
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start());
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

  private synchronized void hear(String line) {
    String[] words = line.split(" ", 2);
    switch (words[0]) {
      case "STEP" -> step = Long.parseLong(words[1]);
      case "DURABLE" -> durable = Math.max(durable, Long.parseLong(words[1]));
      case "READY", "RESTORED" -> ready = true;
      case "WRONG" -> wrong = true;
      case "AT" -> at = words[1];
      default -> {}
    }
    notifyAll();
  }

  /** Makes it stop at a point. */
  void arm(String point) {
    try {
      orders.write("ARM " + point + "\n");
      orders.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for something it says; false when it does not within so many seconds, or has ended. */
  synchronized boolean await(int seconds, Predicate<Child> condition) throws InterruptedException {
    long deadline = System.nanoTime() + seconds * 1_000_000_000L;
    while (!condition.test(this)) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0 || !reader.isAlive()) {
        return condition.test(this);
      }
      wait(Math.min(left, 100));
    }
    return true;
  }

  synchronized long step() {
    return step;
  }

  synchronized long durable() {
    return durable;
  }

  synchronized boolean isReady() {
    return ready;
  }

  synchronized boolean isWrong() {
    return wrong;
  }

  synchronized boolean isAt(String point) {
    return at.equals(point);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Kills it, as kill -9 does, and hears what it said last. */
  void kill() throws InterruptedException {
    process.toHandle().destroyForcibly();
    process.waitFor(30, TimeUnit.SECONDS);
    reader.join(5_000);
  }
}
