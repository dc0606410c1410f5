package io.deepvm.market;

import io.deepvm.catalog.Place;

/** One instance type in one place: what a spot request is made to. */
public record Pool(Place place, String instanceType) {

  /** Returns the same type, anywhere in the region. */
  Pool regional() {
    return new Pool(new Place(place.cloud(), place.region(), null), instanceType);
  }

  @Override
  public String toString() {
    return place + " " + instanceType;
  }
}
