package io.deepvm.places.aws;

/** Receives each step of a rental; a test may end the coordinator there. */
public interface RentalSteps {

  /** Does nothing. */
  RentalSteps NONE = (step, node) -> {};

  /** Receives that the machine of a node has come to a step. */
  void reached(RentalStep step, String node);
}
