package io.deepvm.market;

import io.deepvm.catalog.Place;

/** One instance type in one place: what a spot request is made to. */
public record Pool(Place place, String instanceType) {

  @Override
  public String toString() {
    return place + " " + instanceType;
  }
}
