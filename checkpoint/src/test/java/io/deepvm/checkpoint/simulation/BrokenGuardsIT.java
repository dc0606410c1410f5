package io.deepvm.checkpoint.simulation;

import static io.deepvm.checkpoint.simulation.Guard.withoutBody;
import static io.deepvm.checkpoint.simulation.Guard.withoutCall;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Leaves out one guard of the product after the other while its class is loaded. The simulation
 * must notice each: a guard that nobody misses is not tested.
 */
class BrokenGuardsIT {

  private static final int SEEDS = 500;
  private static final String WRITER = "tier/DirectoryTier$Writer";
  private static final String FILES = "tier/StoreFiles";

  static Stream<Guard> guards() {
    return Stream.of(
        withoutCall(
            "a shard is synced before it has its name", "tier/FileShard", "seal", "force", 0),
        withoutCall(
            "a manifest is synced before it has its name", WRITER, "commitAlone", "force", 0),
        withoutCall("the folder of a renamed file is synced", FILES, "rename", "sync", 0),
        withoutCall("the parent of a new folder is synced", FILES, "createFolder", "sync", 0),
        withoutCall("folders that others created are synced", FILES, "createRoot", "sync", 0),
        withoutCall("a claim is synced", "tier/GenerationFile", "claim", "force", 0),
        withoutBody("a number has one owner", "tier/Fence", "check", 0),
        withoutBody(
            "without a majority, a number names the place that decides", "Claims", "digits", 0),
        withoutCall(
            "a claim looks again under the lock", "tier/GenerationFile", "claim", "check", 0),
        withoutCall("a commit looks at the claim", WRITER, "commitAlone", "claim", 0),
        withoutCall("a claim is put into an object store", "s3/ClaimObjects", "claim", "putNew", 1),
        withoutCall(
                "a commit in an object store looks at it", "s3/S3Tier$Writer", "commit", "check", 0)
            .fromSeed(1_000),
        withoutCall("retention keeps the newest versions", "Retention", "spare", "min", 0),
        withoutBody("a restore compares checksums", "Restore", "check", 0),
        withoutCall("a save is reported after its commit", "LocalAssembly", "commit", "run", 0),
        withoutBody("every save ends when its engine closes", "Deliveries", "abort", 0));
  }

  @ParameterizedTest
  @MethodSource("guards")
  void aGuardThatIsLeftOutIsMissed(Guard guard) {
    Simulation simulation = new Simulation(guard);
    String noticed = null;
    for (long i = 0; i < SEEDS && noticed == null; i++) {
      long seed = guard.firstSeed() + i;
      Simulation.Result result = simulation.run(seed, null);
      if (!result.problems().isEmpty()) {
        noticed = "seed %d: %s".formatted(seed, result.problems().get(0));
      }
    }
    assertThat(guard.wasFound()).describedAs("'%s' is in the code", guard).isTrue();
    assertThat(noticed).describedAs("without '%s' something breaks", guard).isNotNull();
    System.out.printf("%s: %s%n", guard, noticed);
  }
}
