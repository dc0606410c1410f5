package io.deepvm.workload.parameterserver;

import io.deepvm.base.BadInput;

/** Some workers of one type. */
public record WorkerGroup(WorkerType type, int count) {

  public WorkerGroup {
    if (count < 0) {
      throw new BadInput(
          "There cannot be %d workers of type %s.".formatted(count, type.name()),
          "Maybe write 0 or more.");
    }
  }
}
