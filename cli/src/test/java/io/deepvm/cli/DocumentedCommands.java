package io.deepvm.cli;

import io.deepvm.cli.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Types all documented commands as a user would, in the folder of this process. A page's commands
 * run in order in a folder of their own that has {@code examples} and {@code clients}; the help of
 * a command is tried by a user who has gone through README before.
 */
final class DocumentedCommands {

  private static final Duration LONGEST_LINE = Duration.ofSeconds(150);

  /** Commands of which the same words with the same files need not be tried twice. */
  private static final Set<String> ONCE =
      Set.of("plan", "predict", "compare", "simulate", "market", "fit", "reproduce", "run");

  /** Options of a run that make no other test of it. */
  private static final Set<String> SAME_RUN = Set.of("--folder", "--speed", "--report", "--logs");

  /** What a command wrote, and with which code it ended. */
  private record Ended(int code, String said) {}

  /** A command that goes on while the next lines run. */
  private record Service(String line, Thread thread, CompletableFuture<Ended> end) {}

  private final Path root;
  private final Path folder = Path.of("").toAbsolutePath();
  private final Path left = folder.resolveSibling("left-by-readme");
  private final SmallSizes sizes;
  private final boolean torch;
  private final List<Service> services = new ArrayList<>();
  private final Set<List<String>> fine = new HashSet<>();
  private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor();
  private int failures;

  private DocumentedCommands(Path root) throws IOException, InterruptedException {
    this.root = root;
    Path debian = Path.of("/usr/bin/python3");
    String python = Files.isExecutable(debian) ? debian.toString() : "python3";
    torch = hasTorch(python);
    Path job = Files.writeString(folder.resolveSibling("small.yaml"), SmallSizes.TRAINING_JOB);
    Path trace = Files.writeString(folder.resolveSibling("steady.csv"), SmallSizes.steadyTrace());
    sizes = new SmallSizes(freePort(), python, job.toString(), trace.toString());
  }

  /**
   * Runs the commands of a project's pages and prints how each ended; code 0 if all ended well. The
   * first argument is the project; further arguments name the only pages to run.
   */
  public static void main(String[] args) throws Exception {
    Locale.setDefault(Locale.ROOT);
    System.setProperty("java.awt.headless", "true");
    DocumentedCommands commands = new DocumentedCommands(Path.of(args[0]));
    for (DocumentedPage page : DocumentedPage.all(commands.root)) {
      if (args.length == 1 || Arrays.asList(args).contains(page.name())) {
        commands.run(page);
      }
    }
    System.out.printf(
        "%d s of processor time%n",
        ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toSeconds());
    System.exit(commands.failures == 0 ? 0 : 1);
  }

  private void run(DocumentedPage page) throws IOException, InterruptedException {
    try (Stream<Path> before = Files.list(folder)) {
      for (Path path : before.toList()) {
        remove(path);
      }
    }
    if (page.help()) {
      copy(left, folder);
    } else {
      copy(root.resolve("examples"), folder.resolve("examples"));
      copy(root.resolve("clients"), folder.resolve("clients"));
    }
    for (String line : page.lines()) {
      run(page, line);
    }
    for (Service service : services) {
      ScheduledFuture<?> alarm = alarm(page, service.line());
      tell(page, service.line() + "   (ended)", end(service), 0, 0);
      alarm.cancel(false);
    }
    services.clear();
    if (page.name().equals("README.md")) {
      copy(folder, left);
    }
  }

  private void run(DocumentedPage page, String line) throws InterruptedException {
    long start = System.nanoTime();
    Ended ended;
    ScheduledFuture<?> alarm = alarm(page, line);
    try {
      ended = new Ended(0, "");
      for (ShellLine.Step step : ShellLine.parse(line).steps()) {
        ended = ended.code() == 0 ? run(line, step) : ended;
      }
    } catch (IOException | RuntimeException e) {
      ended = new Ended(-1, e.toString());
    } finally {
      alarm.cancel(false);
    }
    tell(page, line, ended, expectedCode(line), (System.nanoTime() - start) / 1e9);
  }

  /** Returns the code that the comment of a line states, as "# exit code 3: nothing fits". */
  private static int expectedCode(String line) {
    Matcher stated = Pattern.compile("# .*exit code (\\d+)").matcher(line);
    return stated.find() ? Integer.parseInt(stated.group(1)) : 0;
  }

  private void tell(DocumentedPage page, String line, Ended ended, int expected, double seconds) {
    boolean well = ended.code() == expected;
    System.out.printf(
        "%s %6.2f s  %s: %s%n", well ? "ok    " : "FAILED", seconds, page.name(), line);
    if (!well) {
      failures++;
      System.out.printf("code %d%n%s%n", ended.code(), ended.said().indent(8));
    }
    System.out.flush();
  }

  /**
   * Ends this process unless it is cancelled in time: some commands cannot be stopped otherwise.
   */
  private ScheduledFuture<?> alarm(DocumentedPage page, String line) {
    return watch.schedule(() -> giveUp(page, line), LONGEST_LINE.toSeconds(), TimeUnit.SECONDS);
  }

  private void giveUp(DocumentedPage page, String line) {
    System.out.printf("FAILED after %s  %s: %s%n", LONGEST_LINE, page.name(), line);
    System.out.flush();
    Runtime.getRuntime().halt(2);
  }

  private Ended run(String line, ShellLine.Step written) throws IOException, InterruptedException {
    List<String> words = written.words();
    if (SmallSizes.ELSEWHERE.stream().anyMatch(other -> other.isAbout(words))) {
      return new Ended(0, "");
    }
    if (words.contains("python3") && !torch) {
      System.out.println("Left out, as this Python has no torch:");
      return new Ended(0, "");
    }
    ShellLine.Step step = written.withWords(sizes.of(words));
    if (!SmallSizes.isDeepvm(words)) {
      return program(step);
    }
    if (step.background() || SmallSizes.isService(words)) {
      Service service = start(line, step);
      if (step.background()) {
        services.add(service);
        return service.end().getNow(new Ended(0, ""));
      }
      return end(service);
    }
    boolean once = step.target() == null && ONCE.contains(words.get(1));
    List<String> input = input(step.words());
    if (once && fine.contains(input)) {
      return new Ended(0, "");
    }
    if (SmallSizes.is(words, "run")) {
      // the user has had a run there, perhaps, and now wants another
      int at = words.indexOf("--folder") + 1;
      remove(folder.resolve(at == 0 ? "deepvm-run" : words.get(at)));
    }
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = deepvm(step, out, err);
    if (step.target() != null) {
      Files.writeString(folder.resolve(step.target()), out.toString());
    }
    if (once && code == 0) {
      fine.add(input);
    }
    return new Ended(code, out + "\n" + err);
  }

  /** Returns what decides how a command goes: its words and what is in the files they name. */
  private List<String> input(List<String> words) throws IOException {
    List<String> all = new ArrayList<>(words.subList(1, words.size()));
    for (int i = all.size() - 1; i > 0 && SmallSizes.is(words, "run"); i--) {
      if (SAME_RUN.contains(all.get(i - 1))) {
        all.subList(i - 1, i + 1).clear();
        i--;
      }
    }
    // options may stand in any order
    all.sort(null);
    for (String word : List.copyOf(all)) {
      Path file = folder.resolve(word.replace('*', '_'));
      if (Files.isRegularFile(file)) {
        all.add(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    return all;
  }

  private static int deepvm(ShellLine.Step step, StringWriter out, StringWriter err) {
    Terminal terminal =
        new Terminal(
            new PrintWriter(out), new PrintWriter(err), false, false, true, Clock.systemUTC());
    return Main.run(terminal, step.words().subList(1, step.words().size()).toArray(String[]::new));
  }

  /** Starts a command that goes on, and waits for its first words. */
  private static Service start(String line, ShellLine.Step step) throws InterruptedException {
    StringWriter said = new StringWriter();
    CompletableFuture<Ended> end = new CompletableFuture<>();
    Thread thread =
        new Thread(() -> end.complete(new Ended(deepvm(step, said, said), said.toString())), line);
    thread.start();
    while (said.getBuffer().indexOf("\n") < 0 && !end.isDone()) {
      thread.join(10);
    }
    return new Service(line, thread, end);
  }

  /** Interrupts a command, as a user would before the next line. */
  private static Ended end(Service service) throws InterruptedException {
    service.thread().interrupt();
    service.thread().join();
    return service.end().join();
  }

  private Ended program(ShellLine.Step step) throws IOException, InterruptedException {
    Path said = folder.resolveSibling("said.txt");
    ProcessBuilder builder =
        new ProcessBuilder(step.words())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    builder.environment().putAll(step.variables());
    int code = builder.start().waitFor();
    return new Ended(code, Files.readString(said));
  }

  private static boolean hasTorch(String python) throws InterruptedException {
    try {
      return new ProcessBuilder(python, "-c", "import torch")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else if (Files.isRegularFile(path)) {
          Files.copy(path, target);
        }
      }
    }
  }

  private static void remove(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> paths = Files.walk(path)) {
      for (Path each : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }
}
