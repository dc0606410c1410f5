package io.deepvm.catalog.compact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.PriceDate;
import io.deepvm.catalog.PriceDates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompactFormatTest {

  private final Path folder;

  CompactFormatTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Catalog read(String text) throws IOException {
    return Catalogs.load(Files.writeString(folder.resolve("mine.csv"), text).toString());
  }

  @Test
  void aWholeRowIsReadWithItsUnits() throws IOException {
    Catalog catalog =
        read(
            """
            # deepvm catalog v1
            # name: mine
            # as-of: 2026-01-02
            # source: by hand
            # quota: place=here/* families=g,vt market=spot vcpus=128
            on_demand,spot,cloud,region,zone,instance_type,family,vcpus,memory,gpu,gpu_count,gpu_memory,network,device_copy
            1.5,0.25,here,north,a,big,g,0.5,30.5GB,Unheard,0.125,24GiB,2500Mbps,6.3GB/s
            """);

    assertThat(catalog.name()).isEqualTo("mine");
    assertThat(catalog.asOf()).isEqualTo(LocalDate.of(2026, 1, 2));
    assertThat(catalog.quotas()).singleElement().hasToString("128 spot vCPUs for g, vt in here/*");
    Listing listing = catalog.listings().get(0);
    Machine machine = listing.machine();
    assertThat(listing.place()).hasToString("here/north/a");
    assertThat(listing.spot()).isEqualTo(Money.parse("0.25"));
    assertThat(listing.onDemand()).isEqualTo(Money.parse("1.5"));
    assertThat(machine.vcpus()).isEqualTo(0.5);
    assertThat(machine.memory()).isEqualTo(new DataSize(30_500_000_000L));
    assertThat(machine.gpus())
        .isEqualTo(new Gpus(Gpu.unknown("Unheard", DataSize.ofGib(24)), 0.125));
    assertThat(machine.network()).isEqualTo(Bandwidth.ofMbps(2500));
    assertThat(machine.deviceCopy()).isEqualTo(new Bandwidth(6_300_000_000L * 8));
  }

  @Test
  void aCloudMayHaveADateOfItsOwnAndKeepsItWhenWritten() throws IOException {
    Catalog catalog =
        read(
            """
            # deepvm catalog v1
            # as-of: 2026-01-02
            # as-of there: 2025-09
            # prices: historical
            cloud,region,instance_type,vcpus,on_demand
            here,north,big,4,2
            there,south,big,4,2
            """);

    assertThat(catalog.dates().of("here")).hasToString("2026-01-02");
    assertThat(catalog.dates().of("there")).hasToString("2025-09");
    assertThat(PriceDate.parse("2025-09").latest()).isEqualTo(LocalDate.of(2025, 9, 30));
    assertThat(catalog.dates().use()).isEqualTo(PriceDates.Use.HISTORY);
    Path again = folder.resolve("again.csv");
    Catalogs.write(catalog, again);
    assertThat(Catalogs.load(again.toString()).dates()).isEqualTo(catalog.dates());
  }

  @Test
  void whatIsLeftOutIsUnknownAndRowsOfOneMachineShareIt() throws IOException {
    Catalog catalog =
        read(
            """
            # deepvm catalog v1
            cloud,region,instance_type,vcpus,spot,on_demand
            here,north,big,4,,2
            here,south,big,4,1,
            """);

    Listing north = catalog.listings().get(0);
    assertThat(catalog.name()).isEqualTo("mine");
    assertThat(catalog.asOf()).isNull();
    assertThat(north.spot()).isNull();
    assertThat(north.place().zone()).isNull();
    assertThat(north.machine().memory()).isNull();
    assertThat(north.machine().family()).isEqualTo("all");
    assertThat(north.machine()).isSameAs(catalog.listings().get(1).machine());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cloud,region,instance_type,vcpu,spot       | h,n,b,4,1   | line 2: the column 'vcpu' is not known | 'vcpus'
          cloud,region,instance_type,spot            | h,n,b,1     | no column 'vcpus'                      | header
          cloud,region,vcpus,vcpus                   | h,n,4,1     | two columns are named 'vcpus'          | remove
          cloud,region,instance_type,vcpus,spot      | h,n,b,4     | line 3, column 5: the row has 4 fields | cut short
          cloud,region,instance_type,vcpus,spot      | h,n,b,4,1,1 | line 3, column 6: the row has 6 fields | cut short
          cloud,region,instance_type,vcpus,spot      | h,n,b,four,1 | line 3, column vcpus: 'four' is not a number | empty
          cloud,region,instance_type,vcpus,spot      | h,n,b,-4,1  | line 3, column vcpus: '-4' is negative | empty
          cloud,region,instance_type,vcpus,spot      | h,n,b,NaN,1 | line 3, column vcpus: 'NaN' is not     | empty
          cloud,region,instance_type,vcpus,spot      | h,n,b,,1    | line 3, column vcpus: the field is empty | cut short
          cloud,region,instance_type,vcpus,spot      | h,n,b,4,-1  | line 3, column spot: the price '-1'    | not offered
          cloud,region,instance_type,vcpus,spot      | h,n,b,4,NaN | line 3, column spot: 'NaN' is not a price | not offered
          cloud,region,instance_type,vcpus,spot      | h,n,b,4,0   | line 3, column spot: the price is zero | not offered
          cloud,region,instance_type,vcpus,spot      | h,n,b,4,1e99 | line 3, column spot: '1e99' is not    | not offered
          cloud,region,instance_type,vcpus,spot      | h,n,b,4,    | line 3, column instance_type: b in h/n has no price | on_demand
          cloud,region,instance_type,vcpus,spot      | h,n/s,b,4,1 | line 3, column region: 'n/s'           | without /
          cloud,region,instance_type,vcpus,spot,memory | h,n,b,4,1,8  | line 3, column memory: '8' has no unit | 2GiB
          cloud,region,instance_type,vcpus,spot,gpu  | h,n,b,4,1,T4 | line 3, column gpu: a GPU needs       | both empty
          cloud,region,instance_type,vcpus,spot,scaling_a | h,n,b,4,1,1 | not all                           | or none
          """)
  void aWrongTableNamesLineAndColumn(String header, String row, String message, String wayOut) {
    BadInput error =
        catchThrowableOfType(
            BadInput.class, () -> read("# deepvm catalog v1\n" + header + "\n" + row + "\n"));

    assertThat(error).hasMessageContaining("mine.csv").hasMessageContaining(message);
    assertThat(error.wayOut()).contains(wayOut);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      commentCharacter = '%',
      textBlock =
          """
          # deepvm catalog v2                                      | line 1: | update deepvm
          # deepvm catalog v1~# as-of: yesterday                   | line 2: 'yesterday' is not a date | 2026-08-22
          # deepvm catalog v1~# as-of: 2026-01                     | line 2: '2026-01' is not a day | 2026-08-22
          # deepvm catalog v1~# as-of gcp: lately                  | line 2: 'lately' is not a date | 2026-08
          # deepvm catalog v1~# prices: old                        | line 2: prices can only be 'historical' | leave the line out
          # deepvm catalog v1~# asof: 2026-01-01                   | line 2: 'asof' | 'as-of'
          # deepvm catalog v1~# quota: market=spot vcpus=-1        | line 2: the limit '-1' | no limit
          # deepvm catalog v1~# quota: market=spot vcpus=1 vcpus=2 | line 2: 'vcpus' is in the quota twice | remove
          # deepvm catalog v1~# quota: spot                        | line 2: 'spot' in the quota | place=
          """)
  void aWrongHeadingNamesItsLine(String heading, String message, String wayOut) {
    String table = "\ncloud,region,instance_type,vcpus,spot\nh,n,b,4,1\n";

    BadInput error =
        catchThrowableOfType(BadInput.class, () -> read(heading.replace('~', '\n') + table));

    assertThat(error).hasMessageContaining(message);
    assertThat(error.wayOut()).contains(wayOut);
  }

  @Test
  void theSameMachineTwiceInAPlaceIsRefused() {
    assertThat(
            catchThrowableOfType(
                BadInput.class,
                () ->
                    read(
                        """
                        # deepvm catalog v1
                        cloud,region,instance_type,vcpus,spot
                        h,n,b,4,1
                        h,n,b,8,2
                        """)))
        .hasMessageContaining("line 4")
        .hasMessageContaining("b in h/n is there twice");
  }

  @Test
  void aFailedWriteLeavesNothingBehind() {
    Catalog paper = Catalogs.load("paper");

    BadInput error =
        catchThrowableOfType(
            BadInput.class, () -> Catalogs.write(paper, folder.resolve("no/such/folder.csv")));

    assertThat(error).hasMessageContaining("cannot be written");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aCutGzipFileIsRefused() throws IOException {
    Path file = folder.resolve("cut.csv.gz");
    Catalogs.write(Catalogs.load("snapshot"), file);
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));

    assertThat(catchThrowableOfType(BadInput.class, () -> Catalogs.load(file.toString())))
        .hasMessageContaining("cut.csv.gz");
  }
}
