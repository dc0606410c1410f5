package io.deepvm.cli.print;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import io.deepvm.base.Money;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** Writes one indented JSON object, streamed, with the same bytes on every platform. */
public final class Json {

  /** What goes inside an object or an array. */
  @FunctionalInterface
  public interface Content {
    void write(Json json) throws IOException;
  }

  private final JsonGenerator generator;

  private Json(JsonGenerator generator) {
    this.generator = generator;
  }

  /** Writes an object and a line end. */
  public static void object(PrintWriter out, Content content) {
    DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    DefaultPrettyPrinter layout =
        new DefaultPrettyPrinter().withObjectIndenter(indenter).withArrayIndenter(indenter);
    // Jackson's own double writer prints the shortest digits on every JDK; Double.toString does not
    // before 19.
    JsonFactory factory =
        JsonFactory.builder()
            .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .build();
    try (JsonGenerator generator = factory.createGenerator(out)) {
      generator.setPrettyPrinter(layout);
      new Json(generator).object(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    out.print("\n");
  }

  /** An object as an element of an array. */
  public void object(Content content) throws IOException {
    generator.writeStartObject();
    content.write(this);
    generator.writeEndObject();
  }

  /** An object under a key. */
  public void object(String key, Content content) throws IOException {
    generator.writeFieldName(key);
    object(content);
  }

  /** An array under a key. */
  public void array(String key, Content content) throws IOException {
    generator.writeArrayFieldStart(key);
    content.write(this);
    generator.writeEndArray();
  }

  /** An array of texts under a key. */
  public void texts(String key, Iterable<String> texts) throws IOException {
    generator.writeArrayFieldStart(key);
    for (String text : texts) {
      generator.writeString(text);
    }
    generator.writeEndArray();
  }

  /** An array of numbers under a key. */
  public void numbers(String key, double[] numbers) throws IOException {
    generator.writeArrayFieldStart(key);
    for (double number : numbers) {
      number(number);
    }
    generator.writeEndArray();
  }

  /** A text, a yes or no, a number or an exact amount of dollars; null stays null. */
  public void put(String key, @Nullable Object value) throws IOException {
    generator.writeFieldName(key);
    if (value == null || (value instanceof Double d && !Double.isFinite(d))) {
      generator.writeNull();
    } else if (value instanceof Double d) {
      number(d);
    } else if (value instanceof Integer || value instanceof Long) {
      generator.writeNumber(((Number) value).longValue());
    } else if (value instanceof Boolean b) {
      generator.writeBoolean(b);
    } else if (value instanceof Money m) {
      generator.writeNumber(m.exactDollars());
    } else {
      generator.writeString(value.toString());
    }
  }

  private void number(double value) throws IOException {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      generator.writeNumber((long) value);
    } else {
      generator.writeNumber(value);
    }
  }

  /** The number an amount of money is in CSV and JSON. */
  public static @Nullable BigDecimal dollars(@Nullable Money money) {
    return money == null ? null : money.exactDollars();
  }
}
