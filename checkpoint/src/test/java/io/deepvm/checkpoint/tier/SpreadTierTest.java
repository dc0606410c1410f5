package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.format.Manifest;
import io.deepvm.checkpoint.format.Version;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpreadTierTest extends TierContract {

  @TempDir Path folder;
  private final Set<Integer> dead = ConcurrentHashMap.newKeySet();

  @Override
  protected Tier open() {
    return new SpreadTier(
        "anchors",
        Level.REPLICATED,
        List.of(
            new MemoryTier("a", Level.REPLICATED, DataSize.parse("4MiB"), null),
            new DirectoryTier("b", Level.DURABLE, folder.resolve("b")),
            new MemoryTier("c", Level.REPLICATED, DataSize.parse("4MiB"), null)),
        2);
  }

  /** Returns folders of which each fails while it is counted as dead. */
  private List<Tier> folders(int count) {
    List<Tier> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int number = i;
      members.add(
          new DirectoryTier(
              "anchor-" + i,
              Level.DURABLE,
              folder.resolve("anchor-" + i),
              point -> {
                if (dead.contains(number)) {
                  throw new IOException("anchor-%d is gone".formatted(number));
                }
              }));
    }
    return members;
  }

  private static void saveSeven(Tier tier, long step) throws IOException {
    byte[][] contents = new byte[7][];
    try (CheckpointWriter writer = tier.write(version(step), SharedClaim.OWNER)) {
      for (int i = 0; i < 7; i++) {
        contents[i] = bytes(step, i, 1_000 + i);
        put(writer, name(i, 7), contents[i]);
      }
      writer.commit(manifest(version(step), contents));
    }
  }

  private static void checkSeven(Tier tier, long step) throws IOException {
    try (CheckpointReader reader = tier.read(version(step))) {
      for (int i = 0; i < 7; i++) {
        assertThat(read(reader, name(i, 7), 0, 1_000 + i)).isEqualTo(bytes(step, i, 1_000 + i));
      }
    }
  }

  @Test
  void anyOneMemberMayBeLost() throws Exception {
    List<Tier> members = folders(3);
    saveSeven(new SpreadTier("anchors", Level.REPLICATED, members, 2), 10);
    for (int lost = 0; lost < 3; lost++) {
      List<Tier> rest = new ArrayList<>(members);
      rest.remove(lost);
      SpreadTier remaining = new SpreadTier("rest", Level.REPLICATED, rest, 1);
      assertThat(remaining.list(JOB)).singleElement().matches(Holding::complete);
      checkSeven(remaining, 10);
    }
  }

  @Test
  void withoutEnoughMembersAVersionIsListedAsIncomplete() throws Exception {
    List<Tier> members = folders(3);
    saveSeven(new SpreadTier("anchors", Level.REPLICATED, members, 1), 10);
    SpreadTier rest = new SpreadTier("rest", Level.REPLICATED, members.subList(0, 2), 1);
    assertThat(rest.list(JOB)).singleElement().matches(holding -> !holding.complete());
  }

  @Test
  void aMemberThatFailsIsPassedOverOnTheNextAttempt() throws Exception {
    List<Tier> members = folders(3);
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, members, 2);
    dead.add(1);
    for (int attempt = 0; ; attempt++) {
      try {
        saveSeven(tier, 10);
        break;
      } catch (IOException e) {
        assertThat(attempt).isZero();
      }
    }
    assertThat(tier.list(JOB)).singleElement().matches(Holding::complete);
    checkSeven(new SpreadTier("rest", Level.REPLICATED, List.of(members.get(0)), 1), 10);
    checkSeven(new SpreadTier("rest", Level.REPLICATED, List.of(members.get(2)), 1), 10);
  }

  @Test
  void withTooFewMembersLeftOneHasToDoAndAWarningSaysSo() throws Exception {
    List<Tier> members = folders(3);
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, members, 2);
    dead.add(1);
    dead.add(2);
    List<String> warnings = new CopyOnWriteArrayList<>();
    Handler listener =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            warnings.add(new SimpleFormatter().formatMessage(entry));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(SpreadWriter.class.getName());
    logger.addHandler(listener);
    try {
      attempt(tier, 10, 3);
    } finally {
      logger.removeHandler(listener);
    }
    checkSeven(new SpreadTier("rest", Level.REPLICATED, List.of(members.get(0)), 1), 10);
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains("1 of 2 copies", "[anchor-1, anchor-2]");
    // once they are back, all copies are kept again
    dead.clear();
    assertThat(tier.list(JOB)).hasSize(1);
    saveSeven(tier, 11);
    for (int lost = 0; lost < 3; lost++) {
      List<Tier> rest = new ArrayList<>(members);
      rest.remove(lost);
      checkSeven(new SpreadTier("rest", Level.REPLICATED, rest, 1), 11);
    }
  }

  @Test
  void withoutAnyMemberTheSaveFails() {
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, folders(2), 2);
    dead.add(0);
    dead.add(1);
    for (int attempt = 0; attempt < 3; attempt++) {
      assertThatThrownBy(() -> saveSeven(tier, 10)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aMemberThatDiesInTheMiddleOfAShardDoesNotBreakItOff() throws Exception {
    List<Tier> members = folders(2);
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, members, 2);
    byte[] bytes = bytes(10, 0, 1_000);
    try (CheckpointWriter writer = tier.write(version(10), SharedClaim.OWNER)) {
      try (ShardWriter shard = writer.shard(name(0, 1), bytes.length)) {
        shard.write(ByteBuffer.wrap(bytes, 0, 400));
        dead.add(0);
        shard.write(ByteBuffer.wrap(bytes, 400, 600));
        shard.seal();
      }
      writer.commit(manifest(version(10), bytes));
    }
    try (CheckpointReader reader = members.get(1).read(version(10))) {
      assertThat(read(reader, name(0, 1), 0, 1_000)).isEqualTo(bytes);
    }
  }

  @Test
  void aSecondAttemptBringsTheCopyThatTheFirstCommitLacked() throws Exception {
    List<Tier> members = folders(3);
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, members, 2);
    byte[] bytes = bytes(10, 0, 1_000);
    try (CheckpointWriter writer = tier.write(version(10), SharedClaim.OWNER)) {
      put(writer, name(0, 1), bytes);
      dead.add(1);
      assertThatThrownBy(() -> writer.commit(manifest(version(10), bytes)))
          .isInstanceOf(IOException.class);
    }
    save(tier, version(10), bytes);
    for (Tier member : List.of(members.get(0), members.get(2))) {
      assertThat(member.list(JOB)).singleElement().matches(Holding::complete);
    }
  }

  /**
   * An anchor writes what its memory holds to its disk by itself, maybe in the middle of a save.
   */
  @Test
  void aMemberThatCommitsByItselfDoesNotCountForTheOthers() throws Exception {
    List<Tier> members = folders(2);
    Tier reserve = new DirectoryTier("reserve", Level.DURABLE, folder.resolve("reserve"));
    Tier spread = new SpreadTier("anchors", Level.DURABLE, members, 2, reserve);
    byte[] content = bytes(5, 0, 1_000);
    Manifest manifest = manifest(version(5), content);
    try (CheckpointWriter writer = spread.write(version(5), SharedClaim.OWNER)) {
      try (ShardWriter shard = writer.shard(name(0, 1), content.length)) {
        shard.write(ByteBuffer.wrap(content));
        try (CheckpointWriter other = members.get(0).write(version(5), SharedClaim.OWNER)) {
          put(other, name(0, 1), content);
          other.commit(manifest);
        }
        shard.seal();
      }
      writer.commit(manifest);
    }
    for (Tier member : members) {
      try (CheckpointReader reader = member.read(version(5))) {
        assertThat(read(reader, name(0, 1), 0, 1_000)).isEqualTo(content);
      }
    }
  }

  @Test
  void whereOneCopyIsDamagedTheOtherIsRead() throws Exception {
    List<Tier> members = folders(2);
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, members, 2);
    saveSeven(tier, 10);
    // a different shard at each, so that neither member alone is whole
    flip(folder.resolve("anchor-0"), name(2, 7));
    flip(folder.resolve("anchor-1"), name(5, 7));
    checkSeven(tier, 10);
    flip(folder.resolve("anchor-1"), name(2, 7));
    assertThatThrownBy(() -> checkSeven(tier, 10))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is not what was saved");
  }

  private static void flip(Path root, String shard) throws IOException {
    Path file = root.resolve(JOB).resolve(version(10).folder()).resolve(shard);
    byte[] bytes = Files.readAllBytes(file);
    bytes[500] ^= 4;
    Files.write(file, bytes);
  }

  private static void attempt(Tier tier, long step, int attempts) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        saveSeven(tier, step);
        return;
      } catch (IOException e) {
        assertThat(attempt).isLessThan(attempts);
      }
    }
  }

  @Test
  void aMemberThatMissedAGenerationIsNotToldOfItAfterANewerOne() throws Exception {
    List<Tier> members = folders(2);
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, members, 2);
    Path inTheWay = Files.writeString(folder.resolve("anchor-1"), "in the way");
    tier.claim(JOB, SharedClaim.of(5));
    Files.delete(inTheWay);
    tier.claim(JOB, SharedClaim.of(6));
    save(tier, new Version(JOB, 6, 10), bytes(10, 0, 1_000));
    for (Tier member : members) {
      assertThat(member.list(JOB)).singleElement().matches(Holding::complete);
    }
  }

  @Test
  void aReserveTakesWhatTooFewMembersCan() throws Exception {
    List<Tier> members = folders(2);
    Tier reserve = new DirectoryTier("reserve", Level.DURABLE, folder.resolve("reserve"));
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, members, 2, reserve);
    saveSeven(tier, 10);
    assertThat(reserve.list(JOB)).isEmpty();
    dead.add(1);
    for (int attempt = 0; ; attempt++) {
      try {
        saveSeven(tier, 11);
        break;
      } catch (IOException e) {
        assertThat(attempt).isLessThan(2);
      }
    }
    SpreadTier rest = new SpreadTier("rest", Level.REPLICATED, List.of(reserve), 1);
    checkSeven(rest, 11);
  }
}
