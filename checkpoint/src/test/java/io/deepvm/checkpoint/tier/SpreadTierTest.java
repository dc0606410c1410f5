package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.units.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
    try (CheckpointWriter writer = tier.write(version(step))) {
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
  void fewerCopiesThanPromisedAreNoCommit() throws Exception {
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, folders(2), 2);
    dead.add(1);
    assertThatThrownBy(() -> saveSeven(tier, 10)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> saveSeven(tier, 10)).isInstanceOf(IOException.class);
    assertThat(tier.list(JOB)).noneMatch(Holding::complete);
  }

  @Test
  void aSecondAttemptBringsTheCopyThatTheFirstCommitLacked() throws Exception {
    List<Tier> members = folders(2);
    SpreadTier tier = new SpreadTier("anchors", Level.REPLICATED, members, 2);
    byte[] bytes = bytes(10, 0, 1_000);
    try (CheckpointWriter writer = tier.write(version(10))) {
      put(writer, name(0, 1), bytes);
      dead.add(1);
      assertThatThrownBy(() -> writer.commit(manifest(version(10), bytes)))
          .isInstanceOf(IOException.class);
    }
    dead.clear();
    save(tier, version(10), bytes);
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
