package io.deepvm.catalog.skypilot;

import io.deepvm.base.Money;
import org.jspecify.annotations.Nullable;

/**
 * One row as the file has it: texts are empty, numbers zero and prices null where the file says
 * nothing.
 *
 * @param line where the row stands; it distinguishes equal rows
 */
record SkyPilotRow(
    long line,
    String type,
    String gpu,
    double gpuCount,
    String gpuInfo,
    double vcpus,
    double memoryGib,
    String region,
    String zone,
    @Nullable Money spot,
    @Nullable Money onDemand) {

  SkyPilotRow withGpuCount(double count) {
    return new SkyPilotRow(
        line, type, gpu, count, gpuInfo, vcpus, memoryGib, region, zone, spot, onDemand);
  }
}
