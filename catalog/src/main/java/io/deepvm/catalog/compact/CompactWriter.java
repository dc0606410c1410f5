package io.deepvm.catalog.compact;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.CsvCell;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.SpeedupCurve;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Writes our own format, in the catalog's order; columns that would stay empty are left out. */
final class CompactWriter {

  private static final int GIGA_DECIMALS = 9;
  private static final long MIB = 1L << 20;
  private static final BigDecimal GIB = BigDecimal.valueOf(1L << 30);

  private CompactWriter() {}

  static void write(Catalog catalog, Path file) {
    try {
      AtomicFile.write(
          file,
          part -> {
            try (Writer out = open(part, file.toString().endsWith(".gz"))) {
              write(Heading.of(catalog), catalog.listings(), out);
            }
          });
    } catch (UncheckedIOException e) {
      throw new BadInput(
          "The catalog cannot be written to %s: %s.".formatted(file, e.getCause()),
          "Maybe the folder does not exist, is full, or you may not write there.");
    }
  }

  // Java's gzip header carries no time and no name, so the same catalog gives the same bytes.
  private static Writer open(Path file, boolean gzip) throws IOException {
    OutputStream bytes = Files.newOutputStream(file);
    return new BufferedWriter(
        new OutputStreamWriter(gzip ? new GZIPOutputStream(bytes) : bytes, StandardCharsets.UTF_8));
  }

  static void write(Heading heading, List<Listing> listings, Writer out) throws IOException {
    out.write(heading.write());
    List<Map<Column, String>> rows = new ArrayList<>();
    Set<Column> used = EnumSet.copyOf(Column.REQUIRED);
    IdentityHashMap<Machine, Map<Column, String>> machines = new IdentityHashMap<>();
    for (Listing listing : listings) {
      Map<Column, String> row =
          new EnumMap<>(machines.computeIfAbsent(listing.machine(), CompactWriter::machine));
      putOffer(row, listing);
      rows.add(row);
      used.addAll(row.keySet());
    }
    CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(out);
    csv.writeRecord(used.stream().map(Column::header).toList());
    String[] fields = new String[used.size()];
    for (Map<Column, String> row : rows) {
      int i = 0;
      for (Column column : used) {
        fields[i++] = row.getOrDefault(column, "");
      }
      csv.writeRecord(fields);
    }
    csv.flush();
  }

  private static void putOffer(Map<Column, String> row, Listing listing) {
    put(row, Column.CLOUD, listing.place().cloud());
    put(row, Column.REGION, listing.place().region());
    put(row, Column.ZONE, listing.place().zone());
    put(row, Column.SPOT, dollars(listing.spot()));
    put(row, Column.ON_DEMAND, dollars(listing.onDemand()));
  }

  private static Map<Column, String> machine(Machine machine) {
    Map<Column, String> row = new EnumMap<>(Column.class);
    put(row, Column.INSTANCE_TYPE, machine.name());
    put(row, Column.FAMILY, machine.family());
    put(row, Column.VCPUS, number(machine.vcpus()));
    put(row, Column.MEMORY, size(machine.memory()));
    Gpus gpus = machine.gpus();
    if (gpus != null) {
      put(row, Column.GPU, gpus.model().name());
      put(row, Column.GPU_COUNT, number(gpus.count()));
      put(row, Column.GPU_MEMORY, size(gpus.model().memory()));
    }
    // What the hardware table knows stays there, so that a better table betters old files.
    if (!Objects.equals(machine.network(), Hardware.network(machine.cloud(), machine.name()))) {
      put(row, Column.NETWORK, bits(machine.network()));
    }
    if (!Objects.equals(
        machine.deviceCopy(), Hardware.deviceCopy(machine.cloud(), machine.name()))) {
      put(row, Column.DEVICE_COPY, bytes(machine.deviceCopy()));
    }
    put(row, Column.FLOPS, number(machine.statedFlops()));
    SpeedupCurve curve = machine.speedup();
    if (curve != null) {
      put(row, Column.SCALING_A, number(curve.a()));
      put(row, Column.SCALING_B, number(curve.b()));
      put(row, Column.SCALING_C, number(curve.c()));
    }
    return row;
  }

  private static void put(Map<Column, String> row, Column column, @Nullable String text) {
    if (text != null) {
      row.put(column, CsvCell.of(text));
    }
  }

  private static @Nullable String dollars(@Nullable Money money) {
    return money == null ? null : money.exactDollars().toPlainString();
  }

  private static @Nullable String number(@Nullable Double value) {
    if (value == null) {
      return null;
    }
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString(value.longValue())
        : value.toString();
  }

  // Both fractions end, so no byte is lost: whole MiB in GiB, anything else in GB.
  private static @Nullable String size(@Nullable DataSize size) {
    if (size == null) {
      return null;
    }
    return size.bytes() % MIB == 0
        ? plain(BigDecimal.valueOf(size.bytes()).divide(GIB)) + "GiB"
        : plain(BigDecimal.valueOf(size.bytes(), GIGA_DECIMALS)) + "GB";
  }

  private static @Nullable String bits(@Nullable Bandwidth rate) {
    return rate == null
        ? null
        : plain(BigDecimal.valueOf(rate.bitsPerSecond(), GIGA_DECIMALS)) + "Gbps";
  }

  private static @Nullable String bytes(@Nullable Bandwidth rate) {
    return rate == null || rate.bitsPerSecond() % 8 != 0
        ? bits(rate)
        : plain(BigDecimal.valueOf(rate.bitsPerSecond() / 8, GIGA_DECIMALS)) + "GB/s";
  }

  private static String plain(BigDecimal number) {
    return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
  }
}
