package io.deepvm.cluster.member;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import org.jspecify.annotations.Nullable;

/** Orders and reports as lines of text. */
public final class Lines {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private Lines() {}

  /** Returns the line of an order, without its end. */
  public static String of(Order order) {
    return write(order);
  }

  /** Returns the line of a report, without its end. */
  public static String of(Report report) {
    return write(report);
  }

  /** Reads an order. */
  public static Order order(String line) {
    try {
      return JSON.readValue(line, Order.class);
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "'%s' is no order: %s.".formatted(shortened(line), e.getOriginalMessage()),
          "Maybe start the trainer through 'deepvm run', which speaks to it.");
    }
  }

  /** Reads a report; null when the line is something else that the process printed. */
  public static @Nullable Report report(String line) {
    if (!line.startsWith("{\"report\":")) {
      return null;
    }
    try {
      return JSON.readValue(line, Report.class);
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private static String write(Object message) {
    try {
      return JSON.writeValueAsString(message);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String shortened(String line) {
    return line.length() <= 80 ? line : line.substring(0, 80) + "...";
  }
}
