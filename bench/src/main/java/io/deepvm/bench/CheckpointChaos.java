package io.deepvm.bench;

import io.deepvm.bench.chaos.Chaos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Kills trainers and anchors and reports what was lost: --kills N --seed S --writers W --minutes M,
 * where M ends the run before the last kill.
 */
public final class CheckpointChaos {

  private CheckpointChaos() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    int kills = (int) option(args, "--kills", 30);
    long seed = option(args, "--seed", 1);
    int writers = (int) option(args, "--writers", 1);
    Path folder = Files.createTempDirectory("deepvm-chaos");
    Consumer<String> out = System.out::println;
    out.accept("Files and logs are in " + folder);
    Chaos.Count count;
    try (Chaos chaos = new Chaos(folder, seed, writers, out)) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(chaos)));
      count = chaos.run(kills, Duration.ofMinutes(option(args, "--minutes", 24 * 60)));
    }
    out.accept(count.toString());
    System.exit(count.isClean() ? 0 : 1);
  }

  private static void end(Chaos chaos) {
    try {
      chaos.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static long option(String[] args, String name, long usual) {
    for (int i = 0; i + 1 < args.length; i++) {
      if (args[i].equals(name)) {
        return Long.parseLong(args[i + 1]);
      }
    }
    return usual;
  }
}
