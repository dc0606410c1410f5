package io.deepvm.catalog.speed;

/**
 * Why a published row is left out of the built-in speeds, or changed; docs/explanation/speeds.md.
 */
enum CleaningRule {
  NO_SPEED("no speed, or 0, which means that the model does not fit"),
  OTHER_ACCELERATOR("an accelerator that is no GPU of our table"),
  SEVERAL_NODES("more than one machine"),
  OTHER_UNIT("a unit that is not samples, or not stated"),
  MIXED_UNITS("speed x time is not the samples that the benchmark takes"),
  PER_GPU("changed: a speed of one GPU where the others state the machine's"),
  EVALUATION("time for evaluation is included"),
  SPREAD_PLACEMENT("GPUs of several machines"),
  NOT_STATED("batch or precision not stated, or several in one cell"),
  SEVERAL_MODELS("rows of one name that differ by more than a fifth"),
  SUPER_LINEAR("more than 1.05 times as fast a GPU as fewer GPUs"),
  BATCH_ORDER("faster by more than its larger batch, or half as fast again as a larger one"),
  OTHER_LAYOUT("a memory layout that is not the framework's default"),
  DOUBLE("double precision");

  private final String reason;

  CleaningRule(String reason) {
    this.reason = reason;
  }

  @Override
  public String toString() {
    return reason;
  }
}
