package io.deepvm.workload.averaging;

import io.deepvm.catalog.Place;

/** Knows the links between places. */
@FunctionalInterface
public interface Network {

  /** Returns the link that carries gradients from one place to another, or to itself. */
  Link between(Place from, Place to);
}
