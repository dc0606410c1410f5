package io.deepvm.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.log.EventLog;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderIT {

  @TempDir Path folder;

  /** Says whether another process than the test holds a folder. */
  static final class Onlooker {

    private Onlooker() {}

    public static void main(String[] args) throws Exception {
      System.out.print(Runs.coordinated(Path.of(args[0])));
    }

    static boolean sees(Path home) throws Exception {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Onlooker.class.getName(),
                  home.toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(said).isIn("true", "false");
      return said.equals("true");
    }
  }

  @Test
  void whyARunIsToStopIsThereAsSoonAsThatItIs() throws Exception {
    Path home = folder.resolve("run");
    RunFolder run = RunFolder.create(home, Scene.spec("asked", Scene.script(folder, 0, "true")));
    for (int i = 0; i < 300; i++) {
      Files.deleteIfExists(home.resolve("stop"));
      Thread asker =
          new Thread(
              () -> {
                try {
                  run.askToStop("enough");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      asker.start();
      String why = run.stopAsked();
      while (why == null && asker.isAlive()) {
        why = run.stopAsked();
      }
      asker.join();
      assertThat(why == null ? run.stopAsked() : why).isEqualTo("enough");
    }
  }

  @Test
  void severalMayAskARunToStopAtOnce() throws Exception {
    Path home = folder.resolve("run");
    RunFolder run = RunFolder.create(home, Scene.spec("asked", Scene.script(folder, 0, "true")));
    ExecutorService askers = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> asked = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        asked.add(
            askers.submit(
                () -> {
                  run.askToStop("enough");
                  return null;
                }));
      }
      for (Future<?> one : asked) {
        one.get(60, TimeUnit.SECONDS);
      }
    } finally {
      askers.shutdownNow();
    }
    assertThat(run.stopAsked()).isEqualTo("enough");
    try (Stream<Path> files = Files.list(home)) {
      assertThat(files).noneMatch(file -> file.toString().endsWith(".new"));
    }
  }

  @Test
  void whoLooksAtItsOwnFolderDoesNotLetGoOfIt() throws Exception {
    Path home = folder.resolve("run");
    RunFolder run = RunFolder.create(home, Scene.spec("held", Scene.script(folder, 0, "true")));
    EventLog.open(run.events()).close();
    Path alias = Files.createSymbolicLink(folder.resolve("alias"), home);
    RunFolder.Hold hold = run.hold();
    try (hold) {
      assertThat(hold).isNotNull();
      assertThat(Runs.coordinated(home)).isTrue();
      assertThat(Runs.coordinated(alias)).isTrue();
      assertThat(Runs.status(home, Clock.systemUTC()).nodes()).isEmpty();
      assertThatThrownBy(() -> Run.resume(alias, new Scene().keeping(1, Scene.local(1))))
          .isInstanceOf(BadInput.class);
      assertThat(Onlooker.sees(home)).isTrue();
    }
    assertThat(Onlooker.sees(home)).isFalse();
    assertThat(Runs.coordinated(home)).isFalse();
  }
}
