package io.deepvm.catalog.speed;

/**
 * Where a measured speed comes from.
 *
 * @param name of the source, such as "profet" or "mlperf-v4.0"; rows of one source share a method
 * @param date when the source measured or published, as precisely as is known: "2021-10" or "2021"
 * @param unverified whether the figure was derived by us from a result that its authors have not
 *     verified in this form, which MLCommons asks to be marked
 */
public record SpeedSource(String name, String date, boolean unverified) {

  @Override
  public String toString() {
    return "%s %s%s".formatted(name, date, unverified ? ", unverified" : "");
  }
}
