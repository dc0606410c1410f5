package io.deepvm.cli.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.Market;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunListener;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store has of a run, and what happens when another coordinator takes it over. */
class RunCopiesTest {

  private static final SshHost HOST =
      new SshHost(
          "h1",
          new SshHost.Login("gpu1", "me", 22, "/home/me/.ssh/id", null, null),
          null,
          "x",
          "A100",
          0);

  @TempDir private Path folder;
  private final Terminal terminal =
      new Terminal(
          new PrintWriter(new StringWriter()),
          new PrintWriter(new StringWriter()),
          false,
          false,
          true,
          Clock.systemUTC());
  private Path run;
  private StoredRun stored;

  @BeforeEach
  void prepare() throws IOException {
    run = folder.resolve("night");
    stored = StoredRun.of(folder.resolve("store").toString(), "night");
    begin(run);
  }

  private void begin(Path where) throws IOException {
    Work work =
        new Work(
            List.of("true"),
            Work.Kind.COMMAND,
            Map.of(),
            "ck",
            0,
            "",
            Work.Timeouts.USUAL,
            "",
            Map.of());
    RunFolder.prepare(where, RunSpec.of("night", work));
    new SshSettings(
            "night-1",
            "me",
            List.of(HOST),
            120,
            new SshSettings.Shipment(SshSettings.Classes.AGENT, null, "", null))
        .write(where);
    stored.write(where);
  }

  private static void log(Path where, RunListener listener, Event event) throws IOException {
    Logged logged = new Logged(1, 1, event);
    try (EventLog log = EventLog.open(where.resolve("events.jsonl"))) {
      log.append(logged);
    }
    listener.accept(logged);
  }

  private StoredFiles.Content newest(String name) throws IOException {
    try (Tier tier = stored.open()) {
      return Objects.requireNonNull(new StoredFiles(tier, name).newest());
    }
  }

  private static String text(StoredFiles.Content content, String file) {
    return new String(content.files().getOrDefault(file, new byte[0]), StandardCharsets.UTF_8);
  }

  @Test
  void theStoreKnowsACoordinatorBeforeItActs() throws Exception {
    try (RunCopies copies = RunCopies.open(run, terminal)) {
      log(run, copies.with(logged -> {}), new Event.Resumed("test"));
      assertThat(text(newest("night.log"), "events.jsonl")).contains("test");
    }
    assertThat(newest("night.files").files()).containsOnlyKeys("run.json", "token");
  }

  @Test
  void theStoreHasNoWayToLogIn() throws Exception {
    try (RunCopies copies = RunCopies.open(run, terminal)) {
      log(run, copies.with(logged -> {}), new Event.Resumed("test"));
    }
    assertThat(text(newest("night.log"), "ssh.json"))
        .contains("night-1", "A100", "gpu1")
        .doesNotContain(".ssh");
  }

  @Test
  void theLastEventsAreInTheStoreWhenTheCoordinatorEnds() throws Exception {
    try (RunCopies copies = RunCopies.open(run, terminal)) {
      log(run, copies.with(logged -> {}), new Event.Resumed("one"));
      log(run, copies.with(logged -> {}), new Event.Refused(0, Market.SPOT, 1, 0, "two"));
    }
    assertThat(text(newest("night.log"), "events.jsonl")).contains("one", "two");
  }

  @Test
  void aCoordinatorLeavesTheRunToTheOneThatTookItOver() throws Exception {
    try (RunCopies copies = RunCopies.open(run, terminal)) {
      RunListener listener = copies.with(logged -> {});
      CompletableFuture<BadInput> left = new CompletableFuture<>();
      copies.guard(left::complete);
      log(run, listener, new Event.Resumed("one"));
      try (Tier tier = stored.open()) {
        tier.claim("night.log", Claim.of(tier.generation("night.log") + 1));
      }
      log(run, listener, new Event.Refused(0, Market.SPOT, 1, 0, "two"));
      assertThat(left.get(60, TimeUnit.SECONDS))
          .hasMessageContaining("Another coordinator has taken the run night over");
    }
    assertThat(text(newest("night.log"), "events.jsonl")).doesNotContain("two");
    assertThatThrownBy(() -> RunCopies.open(run, terminal))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("taken the run night over");
  }

  @Test
  void theSameFolderMayGoOnAfterItsCoordinatorDied() throws Exception {
    try (RunCopies copies = RunCopies.open(run, terminal)) {
      log(run, copies.with(logged -> {}), new Event.Resumed("one"));
    }
    try (RunCopies copies = RunCopies.open(run, terminal)) {
      log(run, copies.with(logged -> {}), new Event.Resumed("again"));
    }
    assertThat(text(newest("night.log"), "events.jsonl")).contains("one", "again");
  }

  @Test
  void anotherRunOfTheNameIsRefusedUntilTheFirstIsOver() throws Exception {
    try (RunCopies copies = RunCopies.open(run, terminal)) {
      log(run, copies.with(logged -> {}), new Event.Resumed("one"));
    }
    Path other = folder.resolve("other");
    begin(other);
    assertThatThrownBy(() -> RunCopies.open(other, terminal))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("has a run called night that is not over");
    try (RunCopies copies = RunCopies.open(run, terminal)) {
      RunListener listener = copies.with(logged -> {});
      log(run, listener, new Event.RunTurned(RunPhase.STOPPING, "test", RunPhase.STOPPED));
      log(run, listener, new Event.RunTurned(RunPhase.STOPPED, "test"));
    }
    try (RunCopies copies = RunCopies.open(other, terminal)) {
      log(other, copies.with(logged -> {}), new Event.Resumed("new"));
    }
    assertThat(text(newest("night.log"), "events.jsonl")).contains("new").doesNotContain("one");
  }

  @Test
  void aDamagedCopyFallsBackToTheOneBefore() throws Exception {
    SortedMap<String, byte[]> first = new TreeMap<>(Map.of("a/b", new byte[] {1, 2, 3}));
    SortedMap<String, byte[]> second = new TreeMap<>(Map.of("a/b", new byte[300_000]));
    UUID owner = UUID.randomUUID();
    try (Tier tier = stored.open()) {
      StoredFiles files = new StoredFiles(tier, "x");
      files.write(new Version("x", 1, 1), owner, first);
      files.write(new Version("x", 1, 2), owner, second);
      assertThat(newest("x").files().get("a/b")).hasSize(300_000);
      Path shard;
      try (Stream<Path> all = Files.walk(folder.resolve("store"))) {
        shard =
            all.filter(f -> f.toString().contains("step-000000000002"))
                .filter(f -> f.toString().endsWith(".safetensors"))
                .findFirst()
                .orElseThrow();
      }
      byte[] bytes = Files.readAllBytes(shard);
      bytes[bytes.length - 1] ^= 1;
      Files.write(shard, bytes, StandardOpenOption.TRUNCATE_EXISTING);
      assertThat(newest("x").files().get("a/b")).containsExactly(1, 2, 3);
    }
  }
}
