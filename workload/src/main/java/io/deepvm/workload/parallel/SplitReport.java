package io.deepvm.workload.parallel;

import io.deepvm.base.DataSize;
import io.deepvm.base.Numbers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says in sentences how a model trains on a cluster, and why so. */
public final class SplitReport {

  private final ClusterModel model;
  private final int nodes;
  private final Split split;

  private SplitReport(ClusterModel model, int nodes, Split split) {
    this.model = model;
    this.nodes = nodes;
    this.split = split;
  }

  /** Returns a sentence each on the exchange, the batch and the memory. */
  public static List<String> of(ClusterModel model, int nodes) {
    Split split = model.best(nodes);
    return split == null ? List.of() : new SplitReport(model, nodes, split).sentences();
  }

  /** Returns a sentence on the memory that a model needs on this many nodes. */
  public static String memory(ClusterModel model, int nodes) {
    Split split = model.best(nodes);
    if (split != null) {
      String memory = new SplitReport(model, nodes, split).memory();
      return memory == null ? "Memory: that of the GPU is not known." : memory;
    }
    MemoryUse least = model.model().whole(1);
    return "Memory: one replica needs at least %s (%s), and a GPU has %s: it does not fit, however it is split. The speed is that of a GPU with enough memory."
        .formatted(MemoryUse.print(least.total()), least.describe(), model.node().memory());
  }

  private List<String> sentences() {
    List<String> sentences = new ArrayList<>();
    if (nodes * model.node().gpus() > 1) {
      sentences.add(exchange());
      sentences.add(batch());
    }
    String memory = memory();
    if (memory != null) {
      sentences.add(memory);
    }
    return sentences;
  }

  private String exchange() {
    double free = model.idealNode() * nodes;
    return "Exchange: gradients of %s%s; %d %s the work of %s that exchange nothing."
        .formatted(
            MemoryUse.print(model.model().gradientBytes()),
            nodes == 1 ? " inside one node" : " over %s".formatted(model.node().network()),
            nodes,
            nodes == 1 ? "worker does" : "workers do",
            Numbers.print(nodes * split.samplesPerSecond() / free));
  }

  private String batch() {
    Batching batching = split.batching();
    int accumulation = batching.accumulation();
    String step =
        "Batch: %s, %s: %,d samples a step."
            .formatted(
                batching.microBatch() == 1
                    ? "1 sample a replica"
                    : "%d samples a replica".formatted(batching.microBatch()),
                accumulation == 1
                    ? "exchanged each time"
                    : "exchanged after %,d of them".formatted(accumulation),
                batching.samples());
    if (!split.isPlain()) {
      return step;
    }
    DataParallel exchange =
        new DataParallel(model.node(), model.software(), model.model().gradientBytes());
    double compute =
        model
            .software()
            .batchSeconds(
                model.batch().perGpu() * model.secondsPerSample(),
                batching.microBatch() / (double) model.batch().perGpu());
    int needed = exchange.accumulationNeeded(nodes, compute);
    if (needed <= accumulation) {
      return accumulation == 1
          ? step
          : step
              + " Exchanged each time, they would train %s samples/s."
                  .formatted(Numbers.print(eachTime(exchange, compute)));
    }
    return "%s Exchanges cost more than a tenth of the speed up to an accumulation of %,d, which is %,d samples a step."
        .formatted(step, needed, (long) needed * batching.microBatch() * batching.replicas());
  }

  private String idle() {
    int idle = nodes * model.node().gpus() - split.gpus();
    return idle == 0 ? "" : " and %d GPUs idle".formatted(idle);
  }

  private double eachTime(DataParallel exchange, double compute) {
    Batching batching = split.batching();
    double samples = batching.microBatch() * (double) batching.replicas();
    return samples / exchange.stepSeconds(nodes, compute, 1);
  }

  private @Nullable String memory() {
    DataSize memory = model.node().memory();
    if (!model.memoryBinds() || memory == null) {
      return null;
    }
    MemoryUse whole = model.model().whole(split.batching().microBatch());
    String need =
        "one replica needs %s (%s)".formatted(MemoryUse.print(whole.total()), whole.describe());
    return split.isPlain()
        ? "Memory: %s of the %s of a GPU.".formatted(need, memory)
        : "Memory: %s, and a GPU has %s; with %s a GPU needs %s."
            .formatted(
                need, memory, split.describe() + idle(), MemoryUse.print(split.memory().total()));
  }
}
