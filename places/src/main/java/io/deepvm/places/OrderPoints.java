package io.deepvm.places;

/** Receives each step of an order; a test may end the coordinator there. */
public interface OrderPoints {

  /** Does nothing. */
  OrderPoints NONE = (point, node) -> {};

  /** Receives that the order of a node has come to a point. */
  void reached(OrderPoint point, String node);
}
