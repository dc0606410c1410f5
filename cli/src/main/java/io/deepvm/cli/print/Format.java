package io.deepvm.cli.print;

/** In what form results are printed. */
public enum Format {
  /** For people. */
  TABLE("table"),
  /** For programs, with a schema name. */
  JSON("json"),
  /** For spreadsheets, with a header line. */
  CSV("csv");

  private final String label;

  Format(String label) {
    this.label = label;
  }

  @Override
  public String toString() {
    return label;
  }
}
