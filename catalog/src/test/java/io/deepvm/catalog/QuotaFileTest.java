package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuotaFileTest {

  private static final Quota POOLED =
      new Quota(
          new PlaceFilter("aws/us-east-1"), Set.of("g", "vt"), Market.SPOT, Quota.Unit.VCPUS, 128);

  private final Path folder;

  QuotaFileTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private List<Quota> read(String text) throws IOException {
    return QuotaFile.read(Files.writeString(folder.resolve("quotas.yaml"), text));
  }

  @Test
  void yamlAndJsonSayTheSame() throws IOException {
    String yaml =
        """
        quotas:
          - {place: aws/us-east-1, families: [g, vt], market: spot, vcpus: 128}
        """;
    String json =
        """
        {"quotas": [{"place": "aws/us-east-1", "families": ["G", "VT"], "market": "spot",
         "vcpus": 128}]}
        """;

    assertThat(read(yaml)).containsExactly(POOLED);
    assertThat(read(json)).containsExactly(POOLED);
  }

  @Test
  void placeAndFamiliesMayBeLeftOutAndAQuotaMayBeZero() throws IOException {
    assertThat(read("quotas:\n- market: on-demand\n  gpus: 0\n"))
        .containsExactly(
            new Quota(PlaceFilter.ANYWHERE, Set.of(), Market.ON_DEMAND, Quota.Unit.GPUS, 0));
    assertThat(read("quotas:\n- {families: g, market: spot, nodes: 3}\n"))
        .containsExactly(
            new Quota(PlaceFilter.ANYWHERE, Set.of("g"), Market.SPOT, Quota.Unit.NODES, 3));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          quotas: [{market: spot, vcpu: 3}]               | the key 'vcpu' is not known    | 'vcpus'
          quota: []                                       | the key 'quota' is not known   | 'quotas'
          quotas: [{market: spot}]                        | exactly one of                 | vcpus: 128
          quotas: [{market: spot, vcpus: 1, gpus: 1}]     | exactly one of                 | vcpus: 128
          quotas: [{market: spot, vcpus: -4}]             | '-4' is not a whole number     | no limit
          quotas: [{market: spot, vcpus: many}]           | 'many' is not a whole number   | no limit
          quotas: [{market: spott, vcpus: 4}]             | 'spott' is not a market        | 'spot'
          quotas: [{vcpus: 4}]                            | needs one market               | market: spot
          quotas: [{market: spot, vcpus: 4, vcpus: 5}]    | vcpus                          | twice
          quotas: {market: spot}                          | a list of quotas               | brackets
          quotas: [{place: a/b/c/d, market: spot, gpus: 1}] | 'a/b/c/d' is not a place     | aws/us-*
          quotas: [{market: spot, vcpus: 1                | line                           | bracket
          """)
  void aWrongQuotaSaysWhatAndHow(String text, String message, String wayOut) {
    BadInput error = catchThrowableOfType(BadInput.class, () -> read(text));

    assertThat(error).hasMessageContaining(message);
    assertThat(error.wayOut()).contains(wayOut);
  }

  @Test
  void anUnknownKeyIsFoundByLineAndColumn() {
    BadInput error =
        catchThrowableOfType(
            BadInput.class, () -> read("quotas:\n- market: spot\n  vcpus: 3\n  region: x\n"));

    assertThat(error).hasMessageContaining("quotas.yaml, line 4, column 3");
  }

  @Test
  void aMissingFileIsNamed() {
    assertThat(
            catchThrowableOfType(BadInput.class, () -> QuotaFile.read(folder.resolve("no.yaml"))))
        .hasMessageContaining("no.yaml");
  }
}
