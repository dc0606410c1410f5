package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Interconnect;
import io.deepvm.cli.print.ClusterGrowth;
import io.deepvm.workload.ModelSize;
import io.deepvm.workload.parallel.BatchRule;
import io.deepvm.workload.parallel.ClusterModel;
import io.deepvm.workload.parallel.ModelNeeds;
import io.deepvm.workload.parallel.NodeShape;
import io.deepvm.workload.parallel.Optimizer;
import io.deepvm.workload.parallel.Software;
import io.deepvm.workload.parallel.SplitReport;
import io.deepvm.workload.speed.SpeedEstimate;
import io.deepvm.workload.speed.SpeedQuestion;

/**
 * How fast several equal nodes train a model, from the speed of one.
 *
 * @param alone the speed of one node
 * @param network of one node
 */
record ModelOverNodes(SpeedQuestion question, SpeedEstimate alone, int nodes, Bandwidth network) {

  private static final int USUAL_BATCH = 32;

  /** Returns the speed of all nodes, from that of one. */
  SpeedEstimate estimate() {
    return new SpeedEstimate(
        together(alone.samplesPerSecond()),
        together(alone.low()),
        together(alone.high()),
        alone.basis(),
        alone.rows());
  }

  /** Returns how the nodes train together. */
  ClusterGrowth growth() {
    ClusterModel model = model(alone.samplesPerSecond());
    return new ClusterGrowth(
        nodes, network, model.timesOneNode(nodes), SplitReport.of(model, nodes));
  }

  private double together(double speed) {
    double times = model(speed).timesOneNode(nodes);
    if (times == 0) {
      throw new BadInput(
          "%s does not fit the memory of %d nodes of %d x %s, however it is split."
              .formatted(question.model().name(), nodes, question.gpus(), question.gpu().name()),
          "Maybe raise --nodes, or choose a GPU with more memory.");
    }
    return times * speed;
  }

  private ClusterModel model(double speed) {
    ModelSize size = question.model().size();
    if (size == null) {
      throw new BadInput(
          "The size of '%s' is not known, so its exchange over --nodes is not either."
              .formatted(question.model().name()),
          "Maybe predict a --job that states model.parameters.");
    }
    Double flop = question.model().flopPerSample();
    return new ClusterModel(
        ModelNeeds.of(
            size.parameters(),
            question.precision(),
            Optimizer.ADAM,
            flop == null ? 6 * size.parameters() : flop,
            question.model().activations()),
        new NodeShape(
            question.gpus(), question.gpu().memory(), Interconnect.of(question.gpu()), network),
        Software.PYTORCH,
        new BatchRule(batch(), null),
        question.gpus() / speed,
        true);
  }

  private int batch() {
    if (question.batch() != null) {
      return question.batch();
    }
    Integer measured = alone.rows().isEmpty() ? null : alone.rows().get(0).batch();
    return measured == null ? USUAL_BATCH : measured;
  }
}
