package io.deepvm.cli.plan;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.catalog.Interconnect;
import io.deepvm.cli.print.ClusterGrowth;
import io.deepvm.cli.print.MemoryCheck;
import io.deepvm.workload.ModelSize;
import io.deepvm.workload.parallel.BatchRule;
import io.deepvm.workload.parallel.ClusterModel;
import io.deepvm.workload.parallel.ModelNeeds;
import io.deepvm.workload.parallel.NodeShape;
import io.deepvm.workload.parallel.Split;
import io.deepvm.workload.parallel.SplitReport;
import io.deepvm.workload.parallel.TrainingSetup;
import io.deepvm.workload.speed.SpeedBasis;
import io.deepvm.workload.speed.SpeedEstimate;
import io.deepvm.workload.speed.SpeedQuestion;
import org.jspecify.annotations.Nullable;

/**
 * How fast several equal nodes train a model, from the speed of one.
 *
 * @param setup how the model is trained
 * @param alone the speed of one node
 * @param network of one node
 */
record ModelOverNodes(
    SpeedQuestion question,
    TrainingSetup setup,
    SpeedEstimate alone,
    int nodes,
    Bandwidth network) {

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

  /** Returns whether the memory of the nodes is enough, or null where that is not known. */
  @Nullable MemoryCheck memory() {
    if (question.model().size() == null || question.gpu().memory() == null) {
      return null;
    }
    ClusterModel model = model(alone.samplesPerSecond());
    return new MemoryCheck(model.best(nodes) != null, SplitReport.memory(model, nodes));
  }

  private double together(double speed) {
    Split split = model(speed).best(nodes);
    if (split == null) {
      throw new BadInput(
          "%s does not fit the memory of %d nodes of %d x %s, however it is split."
              .formatted(question.model().name(), nodes, question.gpus(), question.gpu().name()),
          "Maybe raise --nodes, or choose a GPU with more memory.");
    }
    return split.samplesPerSecond();
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
    ClusterModel unmeasured =
        new ClusterModel(
            ModelNeeds.of(
                    size.parameters(),
                    question.precision(),
                    setup.optimizer(),
                    flop == null ? 6 * size.parameters() : flop,
                    question.model().activations())
                .training(size.trained()),
            new NodeShape(
                question.gpus(), question.gpu().memory(), Interconnect.of(question.gpu()), network),
            setup.framework().software(),
            new BatchRule(batch(), null),
            question.gpus() / speed,
            true);
    return alone.basis() == SpeedBasis.MEASURED
        ? unmeasured.ofMeasuredNode(speed)
        : unmeasured.ofNode(speed);
  }

  private int batch() {
    if (question.batch() != null) {
      return question.batch();
    }
    Integer measured = alone.rows().isEmpty() ? null : alone.rows().get(0).batch();
    return measured == null ? USUAL_BATCH : measured;
  }
}
