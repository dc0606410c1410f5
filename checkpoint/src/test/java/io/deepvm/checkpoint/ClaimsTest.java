package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.CheckpointReader;
import io.deepvm.checkpoint.tier.CheckpointWriter;
import io.deepvm.checkpoint.tier.Holding;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.MemoryTier;
import io.deepvm.checkpoint.tier.SpreadTier;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One generation has one owner, whichever of several anchors a session reaches. */
class ClaimsTest {

  private static final String JOB = "job";
  private static final UUID FIRST = new UUID(0, 1);
  private static final UUID SECOND = new UUID(0, 2);
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-11-18T12:00:00Z"));

  private final List<Tier> anchors = List.of(anchor("a"), anchor("b"), anchor("c"));

  private static Tier anchor(String name) {
    return new MemoryTier(name, Level.DURABLE, DataSize.parse("1MiB"), null);
  }

  /** Has answered which generation it knows, and is lost before it can be claimed at. */
  private record Lost(Tier anchor, long known) implements Tier {

    @Override
    public String name() {
      return anchor.name();
    }

    @Override
    public Level level() {
      return anchor.level();
    }

    @Override
    public long generation(String job) {
      return known;
    }

    @Override
    public void claim(String job, Claim claim) throws IOException {
      throw gone();
    }

    @Override
    public CheckpointWriter write(Version version, UUID owner) throws IOException {
      throw gone();
    }

    @Override
    public CheckpointReader read(Version version) throws IOException {
      throw gone();
    }

    @Override
    public List<Holding> list(String job) throws IOException {
      throw gone();
    }

    @Override
    public boolean delete(Version version) throws IOException {
      throw gone();
    }

    @Override
    public boolean delete(Version version, Claim claim) throws IOException {
      throw gone();
    }

    private IOException gone() {
      return new IOException(name() + " is gone");
    }

    @Override
    public void close() {}
  }

  /** Returns the claims of a session for which some anchors, by name, are lost. */
  private Claims without(String lost, String all) throws IOException {
    List<Tier> seen = new ArrayList<>();
    for (int i = 0; i < all.length(); i++) {
      Tier anchor = anchors.get(all.charAt(i) - 'a');
      boolean isLost = lost.contains(anchor.name());
      seen.add(isLost ? new Lost(anchor, anchor.generation(JOB)) : anchor);
    }
    return new Claims(List.of(new SpreadTier("all", Level.DURABLE, seen, 1)), CLOCK);
  }

  private static Claim next(Claims claims, UUID owner) throws IOException {
    return claims.next(Claims.Request.of(JOB, owner));
  }

  @ParameterizedTest
  @CsvSource({"ab, b, a", "ba, b, a", "abc, bc, ab", "abc, ac, ab", "abc, a, bc", "abc, b, ac"})
  void sessionsThatReachDifferentAnchorsGetDifferentGenerations(
      String all, String lostToFirst, String lostToSecond) throws IOException {
    // the order in which a session lists its anchors does not matter
    String reversed = new StringBuilder(all).reverse().toString();
    Claims one = without(lostToFirst, all);
    Claims other = without(lostToSecond, reversed);
    Claim first = next(one, FIRST);
    Claim second = next(other, SECOND);
    assertThat(second.generation()).isNotEqualTo(first.generation());
    // once all are there again, the next one is newer than both
    assertThat(next(without("", all), SECOND).generation())
        .isGreaterThan(Math.max(first.generation(), second.generation()));
  }

  @Test
  void aMajorityCountsUp() throws IOException {
    assertThat(next(without("", "abc"), FIRST).generation()).isEqualTo(1);
    assertThat(next(without("c", "abc"), SECOND).generation()).isEqualTo(2);
    assertThat(next(without("", "a"), SECOND).generation()).isEqualTo(3);
  }

  @Test
  void oneOfTwoAnchorsIsEnoughToBegin() throws IOException {
    long named = next(without("a", "ab"), FIRST).generation();
    assertThat(named).isGreaterThan(CLOCK.instant().toEpochMilli());
    assertThat(named % 1_000).isEqualTo(2);
    // a majority's number can be told from those that one place has given
    assertThat(next(without("", "ab"), SECOND).generation() % 1_000).isZero();
  }

  @Test
  void withoutAnyAnchorNoGenerationBegins() {
    assertThatThrownBy(() -> next(without("ab", "ab"), FIRST))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is gone");
  }

  @Test
  void anOwnerThatGoesOnIsEndedByOthersAndNotByItself() throws IOException {
    Claims claims = without("", "ab");
    Claim first = next(claims, FIRST);
    Claims.Request on = new Claims.Request(JOB, FIRST, 0, first.generation());
    assertThat(claims.next(on).generation()).isEqualTo(first.generation() + 1);
    // the answer was lost
    assertThat(claims.next(on).generation()).isEqualTo(first.generation() + 2);
    Claim other = next(claims, SECOND);
    assertThatThrownBy(() -> claims.next(on)).isInstanceOf(StaleGeneration.class);
    assertThat(claims.newest(JOB)).isEqualTo(other.generation());
  }
}
