package io.deepvm.catalog.compact;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.base.Suggestion;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Families;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.ImportReport;
import io.deepvm.catalog.ImportedCatalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.MachineFacts;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.SpeedupCurve;
import io.deepvm.catalog.csv.CsvRow;
import io.deepvm.catalog.csv.CsvTable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads our own format; rows of the same machine or place share one object. */
final class CompactReader {

  private static final Set<Column> OF_THE_MACHINE =
      EnumSet.complementOf(EnumSet.of(Column.REGION, Column.ZONE, Column.SPOT, Column.ON_DEMAND));

  private final TextSource source;
  private final Map<Column, Integer> columns = new EnumMap<>(Column.class);
  private final Map<List<String>, Machine> machines = new HashMap<>();
  private final Map<String, Place> places = new HashMap<>();
  private int[] machineColumns = {};
  private List<String> lastFields = List.of();
  private @Nullable Machine lastMachine;

  CompactReader(TextSource source) {
    this.source = source;
  }

  ImportedCatalog read() {
    try (CsvTable table = CsvTable.open(source)) {
      Heading heading = Heading.read(source, table.comments());
      findColumns(table);
      List<Listing> listings = listings(table);
      Catalog catalog =
          new Catalog(
              heading.name(), heading.source(), heading.dates(), listings, heading.quotas());
      int rows = listings.size();
      return new ImportedCatalog(
          catalog,
          List.of(
              new ImportReport(
                  source.label(), cloud(listings), rows, rows, rows, Map.of(), Map.of())));
    }
  }

  private static String cloud(List<Listing> listings) {
    List<String> clouds =
        listings.stream().map(listing -> listing.place().cloud()).distinct().limit(2).toList();
    return clouds.size() == 1 ? clouds.get(0) : "several";
  }

  private void findColumns(CsvTable table) {
    for (String name : table.header()) {
      if (!Column.headers().contains(name)) {
        throw new BadInput(
            "%s, line %d: the column '%s' is not known."
                .formatted(source.label(), table.comments().size() + 1, name),
            Suggestion.maybe(
                name,
                Column.headers(),
                "Maybe use some of %s.".formatted(String.join(", ", Column.headers()))));
      }
    }
    for (Column column : Column.values()) {
      columns.put(
          column,
          Column.REQUIRED.contains(column)
              ? table.requiredColumn(column.header())
              : table.column(column.header()));
    }
    machineColumns =
        OF_THE_MACHINE.stream()
            .mapToInt(this::at)
            .filter(column -> column != CsvTable.ABSENT)
            .toArray();
  }

  private List<Listing> listings(CsvTable table) {
    List<Listing> listings = new ArrayList<>();
    Set<Listing.Key> seen = new HashSet<>();
    for (CsvRow row = table.next(); row != null; row = table.next()) {
      Machine machine = machine(row);
      Place place = place(row);
      Listing listing =
          new Listing(machine, place, price(row, Column.SPOT), price(row, Column.ON_DEMAND));
      if (!seen.add(listing.key())) {
        throw row.failure(
            at(Column.INSTANCE_TYPE),
            "%s in %s is there twice.".formatted(machine.name(), place),
            "Maybe remove one of the rows.");
      }
      if (listing.spot() == null && listing.onDemand() == null) {
        throw row.failure(
            at(Column.INSTANCE_TYPE),
            "%s in %s has no price.".formatted(machine.name(), place),
            "Maybe state spot, on_demand or both.");
      }
      listings.add(listing);
    }
    return listings;
  }

  private int at(Column column) {
    return columns.getOrDefault(column, CsvTable.ABSENT);
  }

  private @Nullable Money price(CsvRow row, Column column) {
    Money price = row.price(at(column));
    if (price != null && !price.isPositive()) {
      throw row.failure(
          at(column),
          "the price is zero.",
          "Maybe leave the field empty where the machine is not offered.");
    }
    return price;
  }

  private Place place(CsvRow row) {
    String cloud = row.requiredText(at(Column.CLOUD));
    String region = row.requiredText(at(Column.REGION));
    String zone = row.text(at(Column.ZONE));
    return places.computeIfAbsent(
        cloud + "\n" + region + "\n" + zone,
        key -> {
          checkPlain(row, Column.CLOUD, cloud);
          checkPlain(row, Column.REGION, region);
          checkPlain(row, Column.ZONE, zone);
          return new Place(cloud, region, zone.isEmpty() ? null : zone);
        });
  }

  private void checkPlain(CsvRow row, Column column, String text) {
    if (text.indexOf('/') >= 0 || text.indexOf('*') >= 0) {
      throw row.failure(
          at(column),
          "'%s' cannot be part of a place.".formatted(text),
          "Maybe write it without / and *, which stand between and for places.");
    }
  }

  private Machine machine(CsvRow row) {
    List<String> fields = new ArrayList<>(machineColumns.length);
    for (int column : machineColumns) {
      fields.add(row.text(column));
    }
    // Rows of one machine mostly stand together, so the last one saves most of the lookups.
    if (lastMachine == null || !fields.equals(lastFields)) {
      lastMachine = machines.computeIfAbsent(fields, unused -> newMachine(row));
      lastFields = fields;
    }
    return lastMachine;
  }

  private Machine newMachine(CsvRow row) {
    String cloud = row.requiredText(at(Column.CLOUD));
    String type = row.requiredText(at(Column.INSTANCE_TYPE));
    Gpus gpus = gpus(row);
    String family = row.text(at(Column.FAMILY));
    row.requiredText(at(Column.VCPUS));
    Double vcpus = row.number(at(Column.VCPUS));
    Bandwidth network = quantity(row, Column.NETWORK, Bandwidth::parse);
    Bandwidth deviceCopy = quantity(row, Column.DEVICE_COPY, Bandwidth::parse);
    return new Machine(
        cloud,
        type,
        family.isEmpty()
            ? Families.of(cloud, type, gpus == null ? null : gpus.model().name())
            : family,
        vcpus == null ? 0 : vcpus,
        quantity(row, Column.MEMORY, DataSize::parse),
        gpus,
        network == null ? Hardware.network(cloud, type) : network,
        deviceCopy == null ? Hardware.deviceCopy(cloud, type) : deviceCopy,
        row.number(at(Column.FLOPS)),
        curve(row));
  }

  private @Nullable Gpus gpus(CsvRow row) {
    String name = row.text(at(Column.GPU));
    Double count = row.number(at(Column.GPU_COUNT));
    if (name.isEmpty() && count == null) {
      return null;
    }
    if (name.isEmpty() || count == null || count == 0) {
      throw row.failure(
          at(name.isEmpty() ? Column.GPU_COUNT : Column.GPU),
          "a GPU needs a name and a count above zero.",
          "Maybe leave both empty for a machine without GPUs.");
    }
    return new Gpus(
        MachineFacts.gpu(name, quantity(row, Column.GPU_MEMORY, DataSize::parse)), count);
  }

  private @Nullable SpeedupCurve curve(CsvRow row) {
    Double a = row.anyNumber(at(Column.SCALING_A));
    Double b = row.anyNumber(at(Column.SCALING_B));
    Double c = row.anyNumber(at(Column.SCALING_C));
    if (a == null && b == null && c == null) {
      return null;
    }
    if (a == null || b == null || c == null) {
      throw row.failure(
          at(Column.INSTANCE_TYPE),
          "the scaling curve has some of its three parameters, but not all.",
          "Maybe state scaling_a, scaling_b and scaling_c, or none.");
    }
    return new SpeedupCurve(a, b, c);
  }

  private <T> @Nullable T quantity(CsvRow row, Column column, Function<String, T> parse) {
    String text = row.text(at(column));
    if (text.isEmpty()) {
      return null;
    }
    try {
      return parse.apply(text);
    } catch (BadInput e) {
      throw row.failure(at(column), e.getMessage() == null ? text : e.getMessage(), e.wayOut());
    }
  }
}
