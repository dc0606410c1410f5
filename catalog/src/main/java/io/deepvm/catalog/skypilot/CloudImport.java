package io.deepvm.catalog.skypilot;

import io.deepvm.base.DataSize;
import io.deepvm.base.Money;
import io.deepvm.catalog.Families;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.ImportReport;
import io.deepvm.catalog.ImportReport.Note;
import io.deepvm.catalog.ImportReport.Skip;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.MachineFacts;
import io.deepvm.catalog.Place;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns the rows of one cloud into listings, and counts what became of them. */
final class CloudImport {

  /** What of a row decides which machine it is; equal texts share one machine. */
  private record MachineTexts(
      String type, String gpu, double gpuCount, String gpuInfo, double vcpus, double memoryGib) {}

  /** A machine, or why its rows cannot be used. */
  private record Known(@Nullable Machine machine, @Nullable Skip obstacle) {}

  private record PlaceTexts(String region, String zone) {}

  private final String file;
  private final String cloud;
  private final Map<MachineTexts, Known> machines = new HashMap<>();
  private final Map<PlaceTexts, Place> places = new HashMap<>();
  private final Set<Listing.Key> seen = new HashSet<>();
  private final List<Listing> listings = new ArrayList<>();
  private final Map<Skip, Integer> skipped = new EnumMap<>(Skip.class);
  private final Map<Note, Integer> notes = new EnumMap<>(Note.class);
  private int used;
  private int read;

  CloudImport(String file, String cloud) {
    this.file = file;
    this.cloud = cloud;
  }

  List<Listing> listings() {
    return listings;
  }

  ImportReport report() {
    return new ImportReport(file, cloud, read, used, listings.size(), skipped, notes);
  }

  /** Counts a row that is left out. */
  void skip(Skip reason) {
    read++;
    skipped.merge(reason, 1, Integer::sum);
  }

  /** Counts a row whose price is part of another row's listing. */
  void use() {
    read++;
    used++;
  }

  /** Lists what the row offers, or counts why not; says whether it is listed. */
  boolean add(SkyPilotRow given) {
    SkyPilotRow row = cloud.equals(AzureGpus.CLOUD) ? AzureGpus.correct(given) : given;
    Known known = known(row);
    Skip obstacle = known.obstacle() == null ? offerObstacle(row) : known.obstacle();
    Machine machine = known.machine();
    if (machine == null || obstacle != null) {
      skip(Objects.requireNonNull(obstacle));
      return false;
    }
    Money spot = offered(lowered(row.spot(), row.onDemand()));
    Listing listing = new Listing(machine, place(row), spot, offered(row.onDemand()));
    if (!seen.add(listing.key())) {
      skip(Skip.DUPLICATE);
      return false;
    }
    note(row, !row.equals(given));
    listings.add(listing);
    use();
    return true;
  }

  private @Nullable Skip offerObstacle(SkyPilotRow row) {
    if (row.spot() == null && row.onDemand() == null) {
      return Skip.NO_PRICE;
    }
    if (offered(row.spot()) == null && offered(row.onDemand()) == null) {
      return Skip.ZERO_PRICE;
    }
    return place(row).region().isEmpty() ? Skip.NO_PLACE : null;
  }

  private static @Nullable Money offered(@Nullable Money price) {
    return price == null || !price.isPositive() ? null : price;
  }

  private static boolean isAbove(@Nullable Money spot, @Nullable Money onDemand) {
    return spot != null
        && onDemand != null
        && onDemand.isPositive()
        && spot.compareTo(onDemand) > 0;
  }

  // A spot price above on demand is a leftover of an older on-demand price.
  private static @Nullable Money lowered(@Nullable Money spot, @Nullable Money onDemand) {
    return isAbove(spot, onDemand) ? onDemand : spot;
  }

  private void note(SkyPilotRow row, boolean corrected) {
    if (isAbove(row.spot(), row.onDemand())) {
      notes.merge(Note.SPOT_LOWERED, 1, Integer::sum);
    }
    if (Money.ZERO.equals(row.spot()) || Money.ZERO.equals(row.onDemand())) {
      notes.merge(Note.ZERO_IS_NO_OFFER, 1, Integer::sum);
    }
    if (corrected) {
      notes.merge(Note.GPU_COUNT_CORRECTED, 1, Integer::sum);
    }
  }

  private Place place(SkyPilotRow row) {
    return places.computeIfAbsent(
        new PlaceTexts(row.region(), row.zone()),
        texts -> {
          String zone = Places.clean(texts.zone());
          return new Place(cloud, Places.clean(texts.region()), zone.isEmpty() ? null : zone);
        });
  }

  private Known known(SkyPilotRow row) {
    return machines.computeIfAbsent(
        new MachineTexts(
            row.type(), row.gpu(), row.gpuCount(), row.gpuInfo(), row.vcpus(), row.memoryGib()),
        texts -> {
          Skip obstacle = machineObstacle(row);
          return new Known(obstacle == null ? machine(row) : null, obstacle);
        });
  }

  private @Nullable Skip machineObstacle(SkyPilotRow row) {
    if (!row.gpu().isEmpty() && !Accelerators.isGpu(row.gpu())) {
      return Skip.NOT_A_GPU;
    }
    if (row.type().isEmpty()) {
      return Skip.GPU_WITHOUT_HOST;
    }
    if (row.vcpus() == 0 || row.memoryGib() == 0) {
      return Skip.NO_SIZE;
    }
    if (row.gpu().isEmpty() != (row.gpuCount() == 0)) {
      return Skip.UNCLEAR_GPU;
    }
    return cloud.equals(AzureGpus.CLOUD) && AzureGpus.lacksItsGpu(row)
        ? Skip.HOST_WITHOUT_GPU
        : null;
  }

  private Machine machine(SkyPilotRow row) {
    Gpus gpus = null;
    if (!row.gpu().isEmpty()) {
      DataSize memory = GpuMemory.ofOne(cloud, row.gpuInfo(), row.gpuCount());
      gpus = new Gpus(MachineFacts.gpu(cloud, row.type(), row.gpu(), memory), row.gpuCount());
    }
    return new Machine(
        cloud,
        row.type(),
        Families.of(cloud, row.type(), row.gpu().isEmpty() ? null : row.gpu()),
        row.vcpus(),
        DataSize.ofGib(row.memoryGib()),
        gpus,
        Hardware.network(cloud, row.type()),
        Hardware.deviceCopy(cloud, row.type()),
        null,
        null);
  }
}
