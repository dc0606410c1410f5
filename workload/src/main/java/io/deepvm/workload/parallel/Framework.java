package io.deepvm.workload.parallel;

/** How the job's software adds up gradients, as job files name it. */
public enum Framework {
  /** Distributed data parallel training in PyTorch. */
  PYTORCH("pytorch"),
  /** A sum in host memory after each step, as TensorFlow 1 has it. */
  HOST_SUM("host-sum");

  private final String label;

  Framework(String label) {
    this.label = label;
  }

  /** Returns how it hides and hinders exchanges. */
  public Software software() {
    return this == PYTORCH ? Software.PYTORCH : Software.HOST_SUM;
  }

  @Override
  public String toString() {
    return label;
  }
}
