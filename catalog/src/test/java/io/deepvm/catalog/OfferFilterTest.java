package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which offers pass, on a market of two clouds that share the name of a region. */
final class OfferFilterTest {

  private static final Listing T4 = listing("aws", "us-east-1", "use1-az1", "g4dn.xlarge", "T4");
  private static final Listing L4 = listing("aws", "us-west-2", null, "g6.xlarge", "L4");
  private static final Listing A100 = listing("lambda", "us-east-1", null, "gpu_1x_a100", "A100");
  private static final Listing A100_80 =
      listing("gcp", "us-central1", "us-central1-a", "a2-ultragpu-1g", "A100-80GB");
  private static final Listing MI300X = listing("runpod", "US", null, "1x_MI300X", "MI300X");
  private static final Listing CPU = listing("aws", "us-east-1", null, "c5.xlarge", null);
  private static final Catalog MARKET =
      new Catalog("market", null, "test", List.of(T4, L4, A100, A100_80, MI300X, CPU), List.of());

  private static Listing listing(
      String cloud, String region, @Nullable String zone, String type, @Nullable String gpu) {
    Gpus gpus = gpu == null ? null : new Gpus(MachineFacts.gpu(gpu, null), 1);
    Machine machine =
        new Machine(cloud, type, "x", 4, DataSize.ofGib(16), gpus, null, null, null, null);
    return new Listing(machine, new Place(cloud, region, zone), Money.parse("1"), null);
  }

  private static OfferFilter gpus(String... names) {
    return new OfferFilter(
        List.of(names).stream().map(GpuFilter::new).toList(), List.of(), Set.of());
  }

  private static OfferFilter without(String... patterns) {
    return new OfferFilter(
        List.of(), List.of(patterns).stream().map(Exclusion::new).toList(), Set.of());
  }

  private static OfferFilter of(Vendor vendor) {
    return new OfferFilter(List.of(), List.of(), Set.of(vendor));
  }

  private static List<Listing> kept(OfferFilter filter) {
    return filter.select(MARKET).kept();
  }

  @Test
  void withoutAFilterEverythingPasses() {
    assertThat(kept(OfferFilter.NONE)).isEqualTo(MARKET.listings());
    assertThat(OfferFilter.NONE.select(MARKET).leftOut()).isEmpty();
  }

  @Test
  void aFilterForAllGpusPassesAsMuchAsNone() {
    assertThat(kept(gpus("*"))).isEqualTo(MARKET.listings());
  }

  @Test
  void gpusAreNamedInAnyCaseAndSpellingAndByStars() {
    assertThat(kept(gpus("t4", "L4"))).containsExactly(T4, L4, CPU);
    assertThat(kept(gpus("A100"))).containsExactly(A100, CPU);
    assertThat(kept(gpus("a100*"))).containsExactly(A100, A100_80, CPU);
    assertThat(kept(gpus("A100_80GB_SXM"))).containsExactly(A100_80, CPU);
  }

  @Test
  void machinesThatDoNotTrainPassAnyGpuAndVendor() {
    assertThat(kept(of(Vendor.AMD))).containsExactly(MI300X, CPU);
  }

  @Test
  void whatIsLeftOutIsCountedByReason() {
    OfferFilter all =
        new OfferFilter(
            List.of(new GpuFilter("T4"), new GpuFilter("MI300X")),
            List.of(new Exclusion("c5.*")),
            Set.of(Vendor.NVIDIA));
    assertThat(all.select(MARKET).leftOut())
        .isEqualTo(
            Map.of(
                "CPU machines that are excluded", 1,
                "GPU workers with AMD GPUs", 1,
                "GPU workers without one of the GPUs asked for (T4, MI300X)", 3));
    assertThat(all.typesOfOtherVendors(MARKET)).isEqualTo(Map.of(Vendor.AMD, 1));
  }

  @ParameterizedTest
  @CsvSource({
    "g4dn.*, 5",
    "T4, 5",
    "A100*, 4",
    "aws, 3",
    "aws/us-east-1, 4",
    "us-east-1, 3",
    "us-central1-a, 5",
    "us-east-1/use1-az1, 5",
    "*, 0"
  })
  void typesGpusAndPlacesAreExcludedByOneName(String pattern, int left) {
    assertThat(kept(without(pattern))).hasSize(left);
  }

  @Test
  void aGpuOfAnUnknownMakerPassesEveryVendor() {
    Listing own = listing("desk", "home", null, "tower", "Homemade 1");
    Catalog one = new Catalog("one", null, "test", List.of(own), List.of());
    assertThat(of(Vendor.AMD).select(one).kept()).containsExactly(own);
  }

  @Test
  void anUnknownGpuIsRefusedWithTheNearest() {
    assertThatThrownBy(() -> gpus("T4", "A1000").requireKnown(MARKET))
        .isInstanceOf(BadInput.class)
        .hasMessage("The catalog 'market' has no GPU 'A1000'.")
        .hasFieldOrPropertyWithValue("wayOut", "Maybe you meant 'A100'.");
    assertThatThrownBy(() -> gpus("80GB").requireKnown(MARKET))
        .hasFieldOrPropertyWithValue("wayOut", "Maybe you meant A100-80GB.");
    gpus("a100*", "l4").requireKnown(MARKET);
  }

  @Test
  void anExclusionOfNothingIsRefusedWithTheNearest() {
    assertThatThrownBy(() -> without("g4dn.xlarg").requireKnown(MARKET))
        .isInstanceOf(BadInput.class)
        .hasMessage("The catalog 'market' has no type, GPU or place 'g4dn.xlarg'.")
        .hasFieldOrPropertyWithValue("wayOut", "Maybe you meant 'g4dn.xlarge'.");
    without("us-*", "T4", "c5.xlarge").requireKnown(MARKET);
  }

  @ParameterizedTest
  @CsvSource({
    "us-west-2, aws/us-west-2",
    "us-central1, gcp/us-central1",
    "us-central1-a, gcp/*/us-central1-a",
    "us-east-1/use1-az1, aws/us-east-1/use1-az1",
    "aws/us-*, aws/us-*",
    "lambda, lambda"
  })
  void aPlaceMayLeaveItsCloudOut(String given, String meant) {
    assertThat(MARKET.resolved(List.of(new PlaceFilter(given))))
        .containsExactly(new PlaceFilter(meant));
    assertThat(MARKET.in(List.of(new PlaceFilter(given)))).isNotEmpty();
  }

  @Test
  void aRegionOfSeveralCloudsIsRefusedWithAllOfThem() {
    assertThatThrownBy(() -> MARKET.in(List.of(new PlaceFilter("us-east-1"))))
        .isInstanceOf(BadInput.class)
        .hasMessage("The place 'us-east-1' is ambiguous: several clouds have it.")
        .hasFieldOrPropertyWithValue(
            "wayOut", "Maybe you meant aws/us-east-1 or lambda/us-east-1.");
  }
}
