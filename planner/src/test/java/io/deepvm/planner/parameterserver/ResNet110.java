package io.deepvm.planner.parameterserver;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.DataSize;
import io.deepvm.workload.parameterserver.Contention;
import io.deepvm.workload.parameterserver.LossCurve;
import io.deepvm.workload.parameterserver.ParameterServerModel;
import io.deepvm.workload.parameterserver.ParameterServerProfile;
import io.deepvm.workload.parameterserver.WorkerType;
import java.util.Map;

/** The paper's ResNet-110: profile and instance types. */
final class ResNet110 {

  static final LossCurve LOSS = new LossCurve(876.5, -0.2, 2507.6, 0.5, null);

  /** Invented so as to agree with the other form for balanced clusters; none was published. */
  static final LossCurve FULL_LOSS = new LossCurve(876.5, -0.147, 1843.6, 0.5, 1.0);

  private ResNet110() {}

  static ParameterServerModel model(LossCurve loss) {
    return new ParameterServerModel(profile(loss), Bandwidth.ofMbps(9600));
  }

  static ParameterServerProfile profile(LossCurve loss) {
    return new ParameterServerProfile(
        new DataSize(11_500_000),
        Bandwidth.ofMbps(1136),
        Bandwidth.ofMbps(80_000),
        Contention.of(0.8, -1.92),
        loss,
        Map.of());
  }

  static WorkerType type(String name) {
    ParameterServerProfile profile = profile(LOSS);
    return switch (name) {
      case "p3.2xlarge" -> profile.measuredWorker(name, 1, 1024, 1885);
      case "g4dn.4xlarge" -> profile.measuredWorker(name, 1, 1024, 750);
      case "g3.8xlarge" -> profile.measuredWorker(name, 2, 512, 1018);
      case "g3.16xlarge" -> profile.measuredWorker(name, 4, 512, 1995);
      case "p2.8xlarge" -> profile.measuredWorker(name, 8, 1024, 2115);
      case "g4dn.12xlarge" -> alike(name, 4, 1024, type("g4dn.4xlarge"));
      case "g3.4xlarge" -> alike(name, 1, 512, type("g3.8xlarge"));
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static WorkerType alike(String name, int gpus, int batch, WorkerType sameGpu) {
    return new WorkerType(
        name, gpus, gpus * batch, sameGpu.computeSeconds(), sameGpu.request(), sameGpu.pcie());
  }
}
