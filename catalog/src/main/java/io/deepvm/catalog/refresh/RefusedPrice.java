package io.deepvm.catalog.refresh;

/**
 * A price that is not believed, or a row that has none.
 *
 * @param row what it is the price of, and where it stands
 */
public record RefusedPrice(String row, String why) {}
