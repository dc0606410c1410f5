package io.deepvm.catalog.skypilot;

import io.deepvm.catalog.csv.CsvRow;
import io.deepvm.catalog.csv.CsvTable;
import org.jspecify.annotations.Nullable;

/** Finds SkyPilot's columns by name, whatever their order, and reads the rows. */
final class SkyPilotRows {

  private final CsvTable table;
  private final int type;
  private final int gpu;
  private final int gpuCount;
  private final int gpuInfo;
  private final int vcpus;
  private final int memory;
  private final int region;
  private final int zone;
  private final int spot;
  private final int onDemand;

  SkyPilotRows(CsvTable table) {
    this.table = table;
    type = table.requiredColumn("InstanceType");
    gpu = table.requiredColumn("AcceleratorName");
    gpuCount = table.requiredColumn("AcceleratorCount");
    gpuInfo = table.column("GpuInfo");
    vcpus = table.requiredColumn("vCPUs");
    memory = table.requiredColumn("MemoryGiB");
    region = table.requiredColumn("Region");
    zone = table.column("AvailabilityZone");
    spot = table.column("SpotPrice");
    onDemand = table.requiredColumn("Price");
  }

  /** Returns the next row, or null after the last. */
  @Nullable SkyPilotRow next() {
    CsvRow row = table.next();
    if (row == null) {
      return null;
    }
    return new SkyPilotRow(
        row.line(),
        row.text(type),
        row.text(gpu),
        numberOrZero(row, gpuCount),
        row.text(gpuInfo),
        numberOrZero(row, vcpus),
        numberOrZero(row, memory),
        row.text(region),
        row.text(zone),
        row.price(spot),
        row.price(onDemand));
  }

  private static double numberOrZero(CsvRow row, int column) {
    Double number = row.number(column);
    return number == null ? 0 : number;
  }
}
