package io.deepvm.workload.parallel;

/** What an optimizer keeps for each parameter. */
public enum Optimizer {
  /** Two moments in 32 bits, and the weights in 32 bits where training runs in 16. */
  ADAM("adam", 8, 4),
  /** Two moments in 8 bits; weights stay in 16 bits. */
  ADAM_8BIT("adam-8bit", 2, 0),
  /** One momentum in 32 bits, and the weights in 32 bits where training runs in 16. */
  SGD("sgd", 4, 4);

  private final String label;
  private final int stateBytes;
  private final int masterBytes;

  Optimizer(String label, int stateBytes, int masterBytes) {
    this.label = label;
    this.stateBytes = stateBytes;
    this.masterBytes = masterBytes;
  }

  /** Returns bytes for each parameter whose weight takes this many bytes itself. */
  int bytes(int weightBytes) {
    return weightBytes < Float.BYTES ? stateBytes + masterBytes : stateBytes;
  }

  @Override
  public String toString() {
    return label;
  }
}
