package io.deepvm.cluster;

import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.NodeState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A coordinator in a process of its own, to be killed. Arguments: folder, steps, nodes, and the
 * point where it dies by itself, if there is one.
 */
public final class CoordinatorProcess {

  private CoordinatorProcess() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    Path home = folder.resolve("run");
    int nodes = Integer.parseInt(args[2]);
    Setting setting = new Scene().keeping(nodes, Scene.local(nodes + 1));
    if (args.length > 3) {
      setting = dying(setting, DyingCloud.Point.valueOf(args[3]));
    }
    RunSpec spec = Scene.spec("killed", Scene.member(folder, Long.parseLong(args[1]), 20));
    try (Run run =
        Files.exists(home.resolve("run.json"))
            ? Run.resume(home, setting)
            : Run.start(home, spec, setting)) {
      System.out.println(run.await(Duration.ofMinutes(3)).state());
    }
    System.exit(0);
  }

  private static Setting dying(Setting usual, DyingCloud.Point fatal) {
    return new Setting(
        (timers, clock) -> new DyingCloud(usual.cloud().make(timers, clock), fatal),
        usual.speed(),
        usual.scenario(),
        usual.policy(),
        usual.emulation(),
        // The listener is called when an event is written and not yet synced.
        logged -> {
          if (logged.event() instanceof Event.Rented) {
            DyingCloud.Point.ORDER_WRITTEN_BEFORE_SYNCED.reached(fatal);
          } else if (logged.event() instanceof Event.Granted) {
            DyingCloud.Point.GRANTED_LOGGED_BEFORE_SYNCED.reached(fatal);
          } else if (logged.event() instanceof Event.NodeTurned e && e.to() == NodeState.LOST) {
            DyingCloud.Point.LOST_LOGGED_BEFORE_SYNCED.reached(fatal);
          } else if (logged.event() instanceof Event.Gone) {
            DyingCloud.Point.GONE_LOGGED_BEFORE_SYNCED.reached(fatal);
          }
        });
  }

  /** Starts one. */
  static Process start(Path folder, long steps, int nodes) throws Exception {
    return start(folder, steps, nodes, List.of());
  }

  /** Starts one that dies at a point. */
  static Process start(Path folder, long steps, int nodes, DyingCloud.Point fatal)
      throws Exception {
    return start(folder, steps, nodes, List.of(fatal.name()));
  }

  private static Process start(Path folder, long steps, int nodes, List<String> more)
      throws Exception {
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                CoordinatorProcess.class.getName(),
                folder.toString(),
                Long.toString(steps),
                Integer.toString(nodes)));
    line.addAll(more);
    return new ProcessBuilder(line)
        .redirectErrorStream(true)
        .redirectOutput(
            ProcessBuilder.Redirect.appendTo(folder.resolve("coordinator.log").toFile()))
        .start();
  }
}
