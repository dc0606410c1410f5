package io.deepvm.places;

/** The steps between an order and its answer, between which a crash makes a difference. */
public enum OrderPoint {
  /** The order has arrived, and nothing exists for it. */
  BEFORE_START,
  /** The machine starts; another coordinator may not see it yet. */
  AFTER_START,
  /** The machine is there for every coordinator to see, and no news says so. */
  AFTER_CLAIM
}
