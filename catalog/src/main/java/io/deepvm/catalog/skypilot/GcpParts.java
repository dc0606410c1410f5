package io.deepvm.catalog.skypilot;

import io.deepvm.base.Money;
import io.deepvm.catalog.ImportReport.Skip;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Joins GCP's rows: the file prices hosts and GPUs apart, a machine with GPUs costs both. */
final class GcpParts {

  static final String CLOUD = "gcp";

  /** GPUs of one kind that go with a host. */
  record GpuPart(String gpu, double count) {}

  private record InZone(Object part, String zone) {}

  private final List<SkyPilotRow> hostRows = new ArrayList<>();
  private final List<SkyPilotRow> gpuRows = new ArrayList<>();
  private final Map<InZone, SkyPilotRow> hosts = new HashMap<>();
  private final Map<InZone, SkyPilotRow> gpus = new LinkedHashMap<>();

  GcpParts(List<SkyPilotRow> rows) {
    for (SkyPilotRow row : rows) {
      if (row.type().isEmpty()) {
        gpuRows.add(row);
        gpus.putIfAbsent(new InZone(part(row), row.zone()), row);
      } else {
        hostRows.add(row);
        hosts.putIfAbsent(new InZone(row.type(), row.zone()), row);
      }
    }
  }

  private static GpuPart part(SkyPilotRow row) {
    return new GpuPart(row.gpu(), row.gpuCount());
  }

  void addTo(CloudImport rows) {
    Set<SkyPilotRow> joined = new HashSet<>();
    for (SkyPilotRow host : hostRows) {
      addHost(host, rows, joined);
    }
    for (SkyPilotRow gpu : gpuRows) {
      addGpu(gpu, rows, joined);
    }
  }

  private void addHost(SkyPilotRow host, CloudImport rows, Set<SkyPilotRow> joined) {
    if (host.type().endsWith("-tpu")) {
      rows.skip(Skip.NOT_A_GPU);
    } else if (!GcpHosts.needsGpu(host.type())) {
      rows.add(host);
    } else {
      GpuPart part = GcpHosts.gpuOf(host.type());
      SkyPilotRow gpu = part == null ? null : gpus.get(new InZone(part, host.zone()));
      if (gpu == null) {
        rows.skip(Skip.HOST_WITHOUT_GPU);
      } else if (rows.add(join(host, gpu, host.type()))) {
        joined.add(gpu);
      }
    }
  }

  private void addGpu(SkyPilotRow gpu, CloudImport rows, Set<SkyPilotRow> joined) {
    GpuPart part = part(gpu);
    String hostType = GcpHosts.hostOf(part);
    SkyPilotRow host = hostType == null ? null : hosts.get(new InZone(hostType, gpu.zone()));
    if (joined.contains(gpu)) {
      rows.use();
    } else if (!Accelerators.isGpu(gpu.gpu())) {
      rows.skip(Skip.NOT_A_GPU);
    } else if (!gpu.equals(gpus.get(new InZone(part, gpu.zone())))) {
      rows.skip(Skip.DUPLICATE);
    } else if (host == null) {
      rows.skip(Skip.GPU_WITHOUT_HOST);
    } else {
      rows.add(
          join(
              host,
              gpu,
              String.format(Locale.ROOT, "%s+%.0fx%s", hostType, part.count(), part.gpu())));
    }
  }

  private static SkyPilotRow join(SkyPilotRow host, SkyPilotRow gpu, String name) {
    return new SkyPilotRow(
        gpu.line(),
        name,
        gpu.gpu(),
        gpu.gpuCount(),
        gpu.gpuInfo(),
        host.vcpus(),
        host.memoryGib(),
        host.region(),
        host.zone(),
        sum(host.spot(), gpu.spot()),
        sum(host.onDemand(), gpu.onDemand()));
  }

  // A4 hosts cost nothing because their GPUs' price holds the whole; a GPU for nothing is no offer.
  private static @Nullable Money sum(@Nullable Money host, @Nullable Money gpu) {
    return host == null || gpu == null || !gpu.isPositive() ? null : host.plus(gpu);
  }
}
