package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.SharedClaim;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AnchoredStoreTest extends TierContract {

  @TempDir Path folder;

  @Override
  protected Tier open() {
    return AnchoredStore.tiers(List.of(anchor()), archive()).get(0);
  }

  private static Tier anchor() {
    return new MemoryTier("anchor", Level.REPLICATED, DataSize.parse("4MiB"), null);
  }

  private Tier archive() {
    return new DirectoryTier("archive", Level.ARCHIVED, folder.resolve("archive"));
  }

  /** Returns a tier that can do nothing, as its folder is a file. */
  private Tier gone(String name, Level level) throws IOException {
    Path file = folder.resolve(name);
    return new DirectoryTier(
        name, level, Files.exists(file) ? file : Files.writeString(file, "in the way"));
  }

  /** Saves as the engine does, which tries again. */
  private static void saveWithin(int attempts, Tier tier, long step) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        save(tier, version(step), bytes(step, 0, 1_000));
        return;
      } catch (IOException e) {
        if (attempt == attempts) {
          throw e;
        }
      }
    }
  }

  @Test
  void whileAnAnchorAnswersTheArchiveIsNotTouched() throws Exception {
    Tier tier = AnchoredStore.tiers(List.of(anchor()), archive()).get(0);
    tier.claim(JOB, SharedClaim.of(1));
    saveWithin(1, tier, 1);
    assertThat(folder.resolve("archive")).doesNotExist();
  }

  @Test
  void anAnchorThatIsLeftDoesWithoutTheArchive() throws Exception {
    Tier left = anchor();
    List<Tier> anchors = List.of(gone("a", Level.REPLICATED), left);
    Tier tier = AnchoredStore.tiers(anchors, gone("archive", Level.ARCHIVED)).get(0);
    saveWithin(2, tier, 1);
    assertThat(left.list(JOB)).singleElement().matches(Holding::complete);
  }

  @Test
  void whenNoAnchorIsLeftTheArchiveTakesTheirPlace() throws Exception {
    List<Tier> anchors = List.of(gone("a", Level.REPLICATED), gone("b", Level.REPLICATED));
    Tier archive = archive();
    Tier tier = AnchoredStore.tiers(anchors, archive).get(0);
    tier.claim(JOB, SharedClaim.of(1));
    saveWithin(3, tier, 1);
    assertThat(archive.generation(JOB)).isEqualTo(1);
    assertThat(archive.list(JOB)).singleElement().matches(Holding::complete);
    try (CheckpointReader reader = tier.read(version(1))) {
      assertThat(read(reader, name(0, 1), 0, 1_000)).isEqualTo(bytes(1, 0, 1_000));
    }
  }

  @Test
  void anArchiveThatANewerGenerationHasTakenOverRefusesToTakeTheirPlace() throws Exception {
    Tier archive = archive();
    Tier tier = AnchoredStore.tiers(List.of(gone("a", Level.REPLICATED)), archive).get(0);
    tier.claim(JOB, SharedClaim.of(1));
    archive.claim(JOB, SharedClaim.of(2));
    assertThatThrownBy(() -> saveWithin(3, tier, 1)).isInstanceOf(StaleGeneration.class);
  }

  @Test
  void whatTheAnchorsNeedNotKeepStaysInTheArchive() throws Exception {
    Tier archive = archive();
    Tier tier = AnchoredStore.tiers(List.of(anchor()), archive).get(0);
    for (Tier each : List.of(tier, archive)) {
      saveWithin(1, each, 1);
    }
    assertThat(tier.delete(version(1))).isTrue();
    assertThat(tier.list(JOB)).isEmpty();
    assertThat(archive.list(JOB)).singleElement().matches(Holding::complete);
  }

  @Test
  void anchorsThatDoNotAnswerAreNotTakenForEmpty() throws Exception {
    Tier tier = AnchoredStore.tiers(List.of(gone("a", Level.REPLICATED)), archive()).get(0);
    assertThatThrownBy(() -> tier.list(JOB))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("None of those that archive stands in for answers");
  }
}
