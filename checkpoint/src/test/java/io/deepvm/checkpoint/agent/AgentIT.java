package io.deepvm.checkpoint.agent;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.Metrics;
import io.deepvm.checkpoint.OtherUser;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The agent and clients that keep to the rules, or do not. */
@Timeout(60)
class AgentIT {

  private static final Duration LONG = Duration.ofSeconds(20);
  private static final String JOB = "job";

  @TempDir Path folder;

  private Path socket;
  private Path shared;
  private CheckpointService agent;

  private AgentOptions options() {
    Tier disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("disk"));
    return AgentOptions.of(socket, JOB, DataSize.parse("1MiB"), List.of(disk))
        .withShared(List.of(shared))
        .withWaits(Duration.ofMillis(100), LONG, LONG);
  }

  @BeforeEach
  void start() throws Exception {
    socket = folder.resolve("own/a.sock");
    shared = Files.createDirectory(folder.resolve("shared"));
    agent = new CheckpointService(options());
    agent.start();
  }

  @AfterEach
  void stop() {
    agent.close();
  }

  /** A client of a few lines. */
  private static final class Talk implements Closeable {

    private final SocketChannel channel;
    private final Frames frames;

    Talk(Path socket) throws IOException {
      channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
      frames = new Frames(channel, LONG);
    }

    JsonNode ask(String json) throws IOException {
      frames.write((ObjectNode) Frames.JSON.readTree(json.replace('\'', '"')));
      return Objects.requireNonNull(frames.read(LONG), json);
    }

    JsonNode hello() throws IOException {
      JsonNode answer = ask("{'do':'hello','protocol':1}");
      assertThat(answer.has("error")).as("%s", answer).isFalse();
      return answer;
    }

    /** Saves one tensor of bytes and returns once it is durable. */
    void save(long step, byte[] bytes) throws IOException {
      JsonNode state = settled(stage(hello(), step, bytes));
      assertThat(state.get("state").asText()).as("%s", state).isEqualTo("DURABLE");
    }

    /** Saves one tensor of bytes and returns the ticket. */
    long stage(JsonNode hello, long step, byte[] bytes) throws IOException {
      JsonNode begun =
          ask("{'do':'save','step':%d,'tensors':[['w','U8',[%d]]]}".formatted(step, bytes.length));
      long ticket = begun.get("ticket").asLong();
      try (FileChannel memory =
          FileChannel.open(Path.of(hello.get("memory").asText()), StandardOpenOption.WRITE)) {
        memory.write(ByteBuffer.wrap(bytes), begun.get("runs").get(0).get(0).asLong());
      }
      ask("{'do':'staged','ticket':%d}".formatted(ticket));
      return ticket;
    }

    JsonNode state(long ticket) throws IOException {
      return ask("{'do':'state','ticket':%d}".formatted(ticket));
    }

    /** Waits for the end of a save. */
    JsonNode settled(long ticket) throws IOException {
      ask("{'do':'mapped'}");
      JsonNode state = state(ticket);
      while (!state.get("settled").asBoolean()) {
        state = state(ticket);
      }
      return state;
    }

    void raw(byte[] bytes) throws IOException {
      ByteBuffer rest = ByteBuffer.wrap(bytes);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
    }

    /** Waits for the other side to hang up, and returns what it says before. */
    List<String> last() throws IOException {
      List<String> said = new ArrayList<>();
      try {
        for (JsonNode each = frames.read(LONG); each != null; each = frames.read(LONG)) {
          said.add(each.path("error").asText());
        }
      } catch (SocketTimeoutException e) {
        throw e;
      } catch (IOException e) {
        // hung up with words of ours unread
      }
      return said;
    }

    @Override
    public void close() throws IOException {
      frames.close();
    }
  }

  private void assertStillServes() throws IOException {
    try (Talk talk = new Talk(socket)) {
      talk.save(99, "still alive".getBytes(StandardCharsets.UTF_8));
      JsonNode restored = talk.ask("{'do':'restore'}");
      Path file = Path.of(restored.get("file").asText());
      assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).endsWith("still alive");
      assertThat(restored.get("step").asLong()).isEqualTo(99);
      talk.ask("{'do':'restored'}");
      assertThat(file).doesNotExist();
    }
  }

  private List<Path> inShared(Predicate<Path> which) throws IOException {
    try (Stream<Path> files = Files.walk(shared)) {
      return files.filter(which).toList();
    }
  }

  private static byte[] frame(int length, String body) {
    byte[] text = body.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(4 + text.length).putInt(length).put(text).array();
  }

  @Test
  void onlyTheOwnerCanReachTheSocket() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
        .isEqualTo("rw-------");
    try (Talk talk = new Talk(socket)) {
      talk.hello();
    }
    for (Path each : List.of(folder.resolve("own"), inShared(Files::isDirectory).get(1))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
          .isEqualTo("rwx------");
    }
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-x---"));
    AgentOptions there =
        AgentOptions.of(open.resolve("a.sock"), JOB, DataSize.parse("1MiB"), options().tiers());
    assertThatThrownBy(() -> new CheckpointService(there))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("not a folder of this user alone");
    Path link = Files.createSymbolicLink(folder.resolve("link"), socket.getParent());
    AgentOptions linked =
        AgentOptions.of(link.resolve("b.sock"), JOB, DataSize.parse("1MiB"), options().tiers());
    assertThatThrownBy(() -> new CheckpointService(linked)).isInstanceOf(BadInput.class);
  }

  @Test
  void aClientOfAnotherUserIsTurnedAwayThoughTheSocketIsOpenToAll() throws Exception {
    OtherUser.assumeRoot();
    Python.assumePython();
    for (Path open : List.of(folder, socket.getParent(), socket)) {
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    String script =
        """
        import socket, struct, sys
        line = socket.socket(socket.AF_UNIX)
        line.connect(sys.argv[1])
        hello = b'{"do":"restore"}'
        try:
            line.sendall(struct.pack(">I", len(hello)) + hello)
            print(line.recv(1000))
        except ConnectionError:
            print(b"")
        """;
    List<String> command = new ArrayList<>(OtherUser.as(OtherUser.ATTACKER));
    command.addAll(List.of("/usr/bin/python3", "-c", script, socket.toString()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader lines = process.inputReader()) {
      assertThat(lines.lines()).containsExactly("b''");
    } finally {
      process.destroyForcibly();
    }
    assertStillServes();
  }

  @Test
  void aSocketHasOneAgent() {
    assertThatThrownBy(() -> new CheckpointService(options()))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("Another agent is running");
  }

  @Test
  void theNameOfAJobCannotLeaveItsFolder() {
    assertThatThrownBy(
            () -> AgentOptions.of(socket, "../x", DataSize.parse("1MiB"), options().tiers()))
        .isInstanceOf(BadInput.class);
  }

  @Test
  void rubbishEndsTheConversationAndNothingElse() throws IOException {
    List<byte[]> rubbish =
        List.of(
            frame(-1, ""),
            frame(1, ""),
            frame(Integer.MAX_VALUE, "{}"),
            frame(Frames.MOST_BYTES + 1, "{}"),
            frame(3, "abc"),
            frame(2, "[]"),
            frame(6, "{\"do\":"),
            frame(400_000, "[".repeat(400_000)),
            "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));
    for (byte[] each : rubbish) {
      try (Talk talk = new Talk(socket)) {
        talk.raw(each);
        assertThat(talk.last()).hasSize(1);
      }
    }
    try (Talk talk = new Talk(socket)) {
      talk.raw(frame(100, "{"));
    }
    assertStillServes();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'do':'explode'}",
        "{'do':{'a':1}}",
        "{'do':'hello','protocol':1}",
        "{'do':'save'}",
        "{'do':'save','step':1}",
        "{'do':'save','step':-1,'tensors':[['w','U8',[1]]]}",
        "{'do':'save','step':1.5,'tensors':[]}",
        "{'do':'save','step':99999999999999999999,'tensors':[]}",
        "{'do':'save','step':1,'tensors':{}}",
        "{'do':'save','step':1,'tensors':['w']}",
        "{'do':'save','step':1,'tensors':[['w','U8']]}",
        "{'do':'save','step':1,'tensors':[['w','pickle',[1]]]}",
        "{'do':'save','step':1,'tensors':[['w','U8',[-1]]]}",
        "{'do':'save','step':1,'tensors':[['w','U8',['1']]]}",
        "{'do':'save','step':1,'tensors':[['w','U8',[9223372036854775807,3]]]}",
        "{'do':'save','step':1,'tensors':[['','U8',[1]]]}",
        "{'do':'save','step':1,'tensors':[['__metadata__','U8',[1]]]}",
        "{'do':'save','step':1,'tensors':[['w','U8',[1]],['w','U8',[1]]]}",
        "{'do':'save','step':1,'tensors':[['w','U8',[1]]],'meta':'text'}",
        "{'do':'staged','ticket':5}",
        "{'do':'state','ticket':5}",
        "{'do':'state'}",
        "{'do':'should-save','step':'x'}",
        "{'do':'notice'}",
        "{'do':'notice','lead':'soon'}",
        "{'do':'notice','lead':0}",
        "{'do':'notice','lead':-1}",
        "{'do':'notice','lead':1e300}"
      })
  void aWrongMessageIsAnsweredAndChangesNothing(String message) throws IOException {
    try (Talk talk = new Talk(socket)) {
      talk.hello();
      JsonNode answer = talk.ask(message);
      assertThat(answer.path("error").asText()).isNotEmpty();
      assertThat(answer.path("maybe").asText()).startsWith("Maybe");
      assertThat(talk.ask("{'do':'should-save','step':1}").get("yes").asBoolean()).isTrue();
    }
  }

  @Test
  void nothingButRestoringIsDoneForAClientThatDidNotSayHello() throws IOException {
    try (Talk talk = new Talk(socket)) {
      for (String verb : List.of("mapped", "should-save", "save", "staged", "state", "notice")) {
        assertThat(talk.ask("{'do':'%s','step':1,'ticket':1,'tensors':[]}".formatted(verb)))
            .anyMatch(each -> each.asText().contains("not said hello"));
      }
      assertThat(talk.ask("{'do':'restore'}").has("file")).isFalse();
    }
    try (Talk talk = new Talk(socket)) {
      assertThat(talk.ask("{'do':'hello','protocol':2}").get("error").asText())
          .contains("protocol 2");
    }
  }

  @Test
  void namesOfTensorsAreNamesAndNoPaths() throws IOException {
    try (Talk talk = new Talk(socket)) {
      talk.hello();
      JsonNode begun = talk.ask("{'do':'save','step':1,'tensors':[['../../../escaped','U8',[3]]]}");
      talk.ask("{'do':'staged','ticket':%d}".formatted(begun.get("ticket").asLong()));
    }
    assertStillServes();
    try (Stream<Path> files = Files.walk(folder)) {
      assertThat(files.filter(f -> f.toString().contains("escaped"))).isEmpty();
    }
  }

  @Test
  void aClientThatGoesInTheMiddleOfASaveLeavesNothing() throws IOException {
    try (Talk talk = new Talk(socket)) {
      talk.hello();
      assertThat(talk.ask("{'do':'save','step':1,'tensors':[['w','U8',[1000000]]]}").has("runs"))
          .isTrue();
    }
    // the arena holds one such state, and there was no word that it is mapped
    try (Talk talk = new Talk(socket)) {
      talk.save(2, new byte[1_000_000]);
      assertThat(inShared(Files::isRegularFile)).isEmpty();
    }
    Checkpoints checkpoints = new Checkpoints(options().tiers(), 1);
    assertThat(checkpoints.list(JOB).checkpoints()).hasSize(1);
    assertThat(checkpoints.gc(JOB).deleted()).isEmpty();
  }

  @Test
  void aNewClientTakesThePlaceOfTheOneBefore() throws IOException {
    try (Talk old = new Talk(socket);
        Talk young = new Talk(socket)) {
      long first = old.hello().get("generation").asLong();
      assertThat(young.hello().get("generation").asLong()).isEqualTo(first + 1);
      assertThat(old.last()).isEmpty();
      try (Talk again = new Talk(socket)) {
        JsonNode refused = again.ask("{'do':'hello','protocol':1,'after':%d}".formatted(first));
        assertThat(refused.path("fenced").asBoolean()).isTrue();
      }
      assertThat(young.ask("{'do':'should-save','step':1}").has("yes")).isTrue();
      try (Talk back = new Talk(socket)) {
        JsonNode resumed = back.ask("{'do':'hello','protocol':1,'after':%d}".formatted(first + 1));
        assertThat(resumed.path("generation").asLong()).isEqualTo(first + 2);
      }
    }
  }

  @Test
  void aClientWhoseAnswerWasLostIsNotTakenForAnother() throws Exception {
    String again = "{'do':'hello','protocol':1,'client':'%s','after':%d}";
    String client = "6a1f3c1e-0b5d-4a55-9d3e-7d1c3b1f0a11";
    long first;
    try (Talk talk = new Talk(socket)) {
      first = talk.ask(again.formatted(client, 0)).get("generation").asLong();
    }
    try (Talk lost = new Talk(socket)) {
      // the claim is made, and the connection ends before the answer is read
      assertThat(lost.ask(again.formatted(client, first)).has("error")).isFalse();
    }
    // another agent, as the first one may have died before it answered
    Path otherSocket = folder.resolve("own/b.sock");
    try (CheckpointService other = another(otherSocket);
        Talk back = new Talk(otherSocket)) {
      assertThat(other.metrics()).isEqualTo(Metrics.NONE);
      JsonNode answer = back.ask(again.formatted(client, first));
      assertThat(answer.path("generation").asLong()).as("%s", answer).isEqualTo(first + 2);
    }
    try (Talk stranger = new Talk(socket)) {
      String other = "00000000-0000-4000-8000-000000000000";
      assertThat(stranger.ask(again.formatted(other, first)).path("fenced").asBoolean()).isTrue();
    }
  }

  @Test
  void aClientThatGetsNoMemoryClaimsNothing() throws Exception {
    long first;
    try (Talk talk = new Talk(socket)) {
      first = talk.hello().get("generation").asLong();
    }
    Path files = inShared(Files::isDirectory).get(1);
    Path aside = Files.move(files, folder.resolve("aside"));
    Path inTheWay = Files.writeString(files, "no folder");
    String after = "{'do':'hello','protocol':1,'after':%d}".formatted(first);
    try (Talk talk = new Talk(socket)) {
      assertThat(talk.ask(after).has("error")).isTrue();
    }
    Files.delete(inTheWay);
    Files.move(aside, files);
    try (Talk talk = new Talk(socket)) {
      JsonNode answer = talk.ask(after);
      assertThat(answer.path("generation").asLong()).as("%s", answer).isEqualTo(first + 1);
    }
  }

  @Test
  void whatIsOnTheDiskIsRestoredThoughTheTierBeforeItIsDead() throws Exception {
    try (Talk talk = new Talk(socket)) {
      talk.save(4, "on the disk".getBytes(StandardCharsets.UTF_8));
    }
    agent.close();
    Path file = Files.writeString(folder.resolve("dead"), "no folder");
    Tier dead = new DirectoryTier("dead", Level.REPLICATED, file);
    Tier disk = options().tiers().get(0);
    agent =
        new CheckpointService(
            AgentOptions.of(socket, JOB, DataSize.parse("1MiB"), List.of(dead, disk))
                .withShared(List.of(shared)));
    agent.start();
    try (Talk talk = new Talk(socket)) {
      JsonNode restored = talk.ask("{'do':'restore'}");
      assertThat(restored.path("step").asLong()).as("%s", restored).isEqualTo(4);
    }
  }

  @Test
  void aNoticeIsAnsweredAtOnceAndPutsTheNewestSaveFirst() throws Exception {
    agent.close();
    Gate gate = new Gate();
    Tier disk = new DirectoryTier("disk", Level.DURABLE, folder.resolve("disk"), gate);
    agent =
        new CheckpointService(
            AgentOptions.of(socket, JOB, DataSize.parse("1MiB"), List.of(disk))
                .withShared(List.of(shared)));
    agent.start();
    try (Talk talk = new Talk(socket)) {
      JsonNode hello = talk.hello();
      assertThat(talk.ask("{'do':'notice','lead':60}")).isEmpty();
      long writing = talk.stage(hello, 1, new byte[10]);
      assertThat(gate.awaitReached()).isTrue();
      long waiting = talk.stage(hello, 2, new byte[10]);
      long newest = talk.stage(hello, 3, new byte[10]);
      // nothing can be written, so only an answer that does not wait can come
      for (String lead : List.of("60", "0.5")) {
        JsonNode answer = talk.ask("{'do':'notice','lead':%s}".formatted(lead));
        assertThat(answer.path("ticket").asLong()).as("%s", answer).isEqualTo(newest);
        assertThat(answer.path("state").asText()).isEqualTo("STAGED");
      }
      assertThat(talk.settled(waiting).get("reasons").toString())
          .contains("A revocation is near; step 3 goes first.");
      gate.open();
      for (long kept : List.of(writing, newest)) {
        assertThat(talk.settled(kept).get("state").asText()).isEqualTo("DURABLE");
      }
    }
  }

  @Test
  void theFiguresAreThoseOfAllSessions() throws Exception {
    assertThat(agent.metrics()).isEqualTo(Metrics.NONE);
    for (long step : List.of(5L, 6L)) {
      try (Talk talk = new Talk(socket)) {
        talk.save(step, new byte[10]);
      }
    }
    try (Talk talk = new Talk(socket)) {
      // the sessions before have ended when this one begins
      talk.hello();
      Metrics figures = agent.metrics();
      assertThat(figures.saves()).isEqualTo(2);
      assertThat(figures.lastDurableStep()).isEqualTo(6);
      assertThat(figures.lagSteps()).isZero();
      assertThat(figures.durableAge()).isPositive().isLessThan(LONG);
      assertThat(figures.totalStall()).isGreaterThan(figures.lastStall());
    }
  }

  @Test
  void theNumberOfConnectionsIsBoundedAndSilenceEndsOne() throws Exception {
    agent.close();
    agent = new CheckpointService(options().withWaits(LONG, Duration.ofMillis(500), LONG));
    agent.start();
    List<Talk> talks = new ArrayList<>();
    try {
      for (int i = 0; i < 40; i++) {
        talks.add(new Talk(socket));
      }
      for (Talk talk : talks) {
        assertThat(talk.last()).isEmpty();
      }
    } finally {
      for (Talk talk : talks) {
        talk.close();
      }
    }
    assertStillServes();
  }

  @Test
  void whatADeadAgentHasLeftIsRemovedByTheNext() throws Exception {
    agent.close();
    assertThat(inShared(Files::isRegularFile)).isEmpty();
    assertThat(socket).doesNotExist();
    Process process = AgentProcess.start(socket, folder.resolve("disk"), shared);
    Path memory;
    try (Talk talk = new Talk(socket)) {
      memory = Path.of(talk.hello().get("memory").asText());
      assertThat(memory).exists();
    } finally {
      process.toHandle().destroyForcibly();
      process.waitFor();
    }
    assertThat(memory).exists();
    agent = new CheckpointService(options());
    agent.start();
    assertThat(memory).doesNotExist();
    assertStillServes();
  }

  /** Begins two sessions with two agents on one store at the same moment. */
  private List<JsonNode> beginTogether(Talk first, Talk second) throws Exception {
    CyclicBarrier start = new CyclicBarrier(2);
    List<CompletableFuture<JsonNode>> both = new ArrayList<>();
    for (Talk talk : List.of(first, second)) {
      both.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  start.await(20, TimeUnit.SECONDS);
                  return talk.hello();
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              },
              task -> new Thread(task).start()));
    }
    return List.of(both.get(0).get(30, TimeUnit.SECONDS), both.get(1).get(30, TimeUnit.SECONDS));
  }

  private CheckpointService another(Path otherSocket) throws Exception {
    CheckpointService other =
        new CheckpointService(
            AgentOptions.of(otherSocket, JOB, DataSize.parse("1MiB"), options().tiers())
                .withShared(List.of(shared)));
    other.start();
    return other;
  }

  @Test
  void sessionsThatBeginTogetherGetDifferentGenerationsAndNoSaveIsLost() throws Exception {
    Path otherSocket = folder.resolve("own/b.sock");
    Map<Long, byte[]> durable = new HashMap<>();
    Set<Long> generations = new HashSet<>();
    int rounds = 30;
    try (CheckpointService other = another(otherSocket)) {
      assertThat(other.metrics().saves()).isZero();
      for (int round = 0; round < rounds; round++) {
        try (Talk first = new Talk(socket);
            Talk second = new Talk(otherSocket)) {
          List<JsonNode> hellos = beginTogether(first, second);
          int number = 0;
          for (Talk talk : List.of(first, second)) {
            JsonNode hello = hellos.get(number++);
            byte[] bytes = "round %d, session %d".formatted(round, number).getBytes(UTF_8);
            JsonNode state = talk.settled(talk.stage(hello, 100 + round, bytes));
            generations.add(hello.get("generation").asLong());
            if (state.get("state").asText().equals("DURABLE")) {
              durable.put(hello.get("generation").asLong(), bytes);
            }
            assertSaved(hello, 100 + round, state, bytes);
          }
        }
      }
    }
    assertThat(generations).hasSize(2 * rounds);
    assertThat(durable).hasSizeGreaterThanOrEqualTo(rounds);
  }

  /** Checks that a save reported DURABLE is what its version holds, byte by byte. */
  private void assertSaved(JsonNode hello, long step, JsonNode state, byte[] bytes)
      throws IOException {
    if (state.get("state").asText().equals("DURABLE")) {
      Version version = new Version(JOB, hello.get("generation").asLong(), step);
      ByteBuffer found = ByteBuffer.allocateDirect(bytes.length);
      new Checkpoints(options().tiers(), 1)
          .restore(version, manifest -> List.of(Slice.whole(manifest.tensors().get(0), found)));
      assertThat(found).isEqualTo(ByteBuffer.wrap(bytes));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"{'do':'restore'}", "{'do':'restore','prefix':'w'}"})
  void aRestoreThatFallsBackSaysSo(String restore) throws Exception {
    try (Talk talk = new Talk(socket)) {
      talk.save(1, "one".getBytes(UTF_8));
    }
    try (Talk talk = new Talk(socket)) {
      JsonNode sound = talk.ask(restore);
      assertThat(sound.get("problems")).isEmpty();
      assertThat(agent.restoreFallbacks()).isZero();
      talk.save(2, "two".getBytes(UTF_8));
    }
    Path shard;
    try (Stream<Path> files = Files.walk(folder.resolve("disk"))) {
      shard =
          files
              .filter(file -> file.toString().contains("step-000000000002"))
              .filter(file -> file.toString().endsWith(".safetensors"))
              .findFirst()
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(shard);
    bytes[bytes.length - 1] ^= 1;
    Files.write(shard, bytes);
    List<String> logged = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger(Checkpoints.class.getName());
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord each) {
            logged.add(each.getLevel() + " " + String.join(" ", text(each)));
          }

          private static List<String> text(LogRecord each) {
            Object[] parameters = each.getParameters();
            return Stream.of(parameters == null ? new Object[0] : parameters)
                .map(String::valueOf)
                .toList();
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try (Talk talk = new Talk(socket)) {
      JsonNode older = talk.ask(restore);
      assertThat(older.get("step").asLong()).isEqualTo(1);
      assertThat(older.get("problems")).hasSize(1);
      assertThat(older.get("problems").get(0).asText()).contains("step 2", "is not what was saved");
    } finally {
      logger.removeHandler(handler);
    }
    assertThat(agent.restoreFallbacks()).isEqualTo(1);
    assertThat(logged).singleElement().asString().contains("WARNING", "step 1", "step 2");
  }
}
