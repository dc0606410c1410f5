package io.deepvm.checkpoint.agent;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Behind;
import io.deepvm.checkpoint.EngineOptions;
import io.deepvm.checkpoint.Retention;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Tier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What an agent is made with.
 *
 * @param socket where clients connect; only its owner may enter the folder
 * @param memory the shared memory for staged states; twice a state lets one be written while the
 *     next is staged
 * @param tiers where checkpoints go, the fastest first; the last one must answer for a session to
 *     begin
 * @param shared folders for shared memory, the best first
 * @param patience how long to wait for an earlier agent on the same socket to end
 * @param greeting how long a client may take to say hello, and for each message it has begun
 * @param drain how long the saves of a client that has gone may take
 */
public record AgentOptions(
    Path socket,
    String job,
    DataSize memory,
    List<Tier> tiers,
    Behind behind,
    Retention retention,
    List<Path> shared,
    Duration patience,
    Duration greeting,
    Duration drain) {

  public AgentOptions {
    tiers = List.copyOf(tiers);
    shared = List.copyOf(shared);
    // checks the name
    Version unused = new Version(job, 0, 0);
    if (tiers.isEmpty()) {
      throw new BadInput("There is no place to save into.", "Maybe give a folder.");
    }
  }

  /** Returns the defaults. */
  public static AgentOptions of(Path socket, String job, DataSize memory, List<Tier> tiers) {
    return new AgentOptions(
        socket,
        job,
        memory,
        tiers,
        Behind.COALESCE,
        Retention.DEFAULT,
        List.of(Path.of("/dev/shm"), Path.of(System.getProperty("java.io.tmpdir"))),
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60));
  }

  /** Returns the same with another rule for when storage is behind. */
  public AgentOptions withBehind(Behind rule) {
    return new AgentOptions(
        socket, job, memory, tiers, rule, retention, shared, patience, greeting, drain);
  }

  /** Returns the same with another rule for what is kept. */
  public AgentOptions withRetention(Retention rule) {
    return new AgentOptions(
        socket, job, memory, tiers, behind, rule, shared, patience, greeting, drain);
  }

  /** Returns the same with other folders for shared memory. */
  public AgentOptions withShared(List<Path> folders) {
    return new AgentOptions(
        socket, job, memory, tiers, behind, retention, folders, patience, greeting, drain);
  }

  /** Returns the same with other waits. */
  public AgentOptions withWaits(Duration newPatience, Duration newGreeting, Duration newDrain) {
    return new AgentOptions(
        socket, job, memory, tiers, behind, retention, shared, newPatience, newGreeting, newDrain);
  }

  EngineOptions engine(Claim claim) {
    EngineOptions usual = EngineOptions.of(job, claim, memory);
    return usual.withBehind(behind, usual.blockTimeout()).withRetention(retention);
  }
}
