package io.deepvm.studies.deepvm;

import io.deepvm.base.Money;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The numbers behind the paper's figures, from the project's own table. */
record Published(List<Point> points) {

  /** One number of a figure; x is a budget in dollars or a number of nodes. */
  record Point(String figure, String series, BigDecimal x, double value, String note) {

    private static Point read(String line) {
      String[] cells = line.split(",", 5);
      return new Point(
          cells[0], cells[1], new BigDecimal(cells[2]), Double.parseDouble(cells[3]), cells[4]);
    }

    Money budget() {
      return Money.of(x);
    }

    int nodes() {
      return x.intValueExact();
    }
  }

  static Published load() {
    try (InputStream file = Published.class.getResourceAsStream("published.csv");
        BufferedReader reader =
            new BufferedReader(
                new InputStreamReader(
                    Objects.requireNonNull(file, "published.csv"), StandardCharsets.UTF_8))) {
      return new Published(
          reader.lines().filter(line -> !line.startsWith("#")).skip(1).map(Point::read).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the points of one figure, in the order of the table. */
  List<Point> figure(String name) {
    return points.stream().filter(point -> point.figure().equals(name)).toList();
  }

  /** Returns the point of one series at the same x as another point. */
  Point at(Point other, String figure, String series) {
    return points.stream()
        .filter(point -> point.figure().equals(figure) && point.series().equals(series))
        .filter(point -> point.x().compareTo(other.x()) == 0)
        .findFirst()
        .orElseThrow();
  }
}
