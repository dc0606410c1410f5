package io.deepvm.cluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A coordinator in a process of its own, to be killed. Arguments: folder, steps, nodes. */
public final class CoordinatorProcess {

  private CoordinatorProcess() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    Path home = folder.resolve("run");
    int nodes = Integer.parseInt(args[2]);
    Setting setting = new Scene().keeping(nodes, Scene.local(nodes + 1));
    RunSpec spec = Scene.spec("killed", Scene.member(folder, Long.parseLong(args[1]), 20));
    try (Run run =
        Files.exists(home.resolve("run.json"))
            ? Run.resume(home, setting)
            : Run.start(home, spec, setting)) {
      System.out.println(run.await(Duration.ofMinutes(3)).state());
    }
    System.exit(0);
  }

  /** Starts one. */
  static Process start(Path folder, long steps, int nodes) throws Exception {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            CoordinatorProcess.class.getName(),
            folder.toString(),
            Long.toString(steps),
            Integer.toString(nodes))
        .redirectErrorStream(true)
        .redirectOutput(
            ProcessBuilder.Redirect.appendTo(folder.resolve("coordinator.log").toFile()))
        .start();
  }
}
