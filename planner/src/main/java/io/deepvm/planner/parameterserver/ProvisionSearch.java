package io.deepvm.planner.parameterserver;

/** A way to look for the cheapest cluster that reaches the loss by the deadline. */
public sealed interface ProvisionSearch permits SlidingWindow, Exhaustive, ExactSearch {

  /** Returns the cheapest cluster found. */
  ProvisionOutcome search(ProvisionRequest request);
}
