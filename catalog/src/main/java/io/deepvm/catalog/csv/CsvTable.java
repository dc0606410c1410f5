package io.deepvm.catalog.csv;

import de.siegmar.fastcsv.reader.CommentStrategy;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.CsvRecordHandler;
import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.base.TextSource;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A CSV file read row by row, its columns found by the names in its header. */
public final class CsvTable implements Closeable {

  /** The place of a column that the file does not have. */
  public static final int ABSENT = -1;

  private static final int MAX_FIELD = 16 << 10;
  private static final int MAX_RECORD = 64 << 10;
  private static final int MAX_BUFFER = 128 << 10;
  private static final int MAX_COLUMNS = 100;

  /** A line that starts with "#". */
  public record Comment(long line, String text) {}

  private final TextSource source;
  private final QuoteCountingReader text;
  private final CsvReader<CsvRecord> reader;
  private final Iterator<CsvRecord> records;
  private final List<Comment> comments = new ArrayList<>();
  private final List<String> header = new ArrayList<>();
  private final Map<String, Integer> columns = new HashMap<>();
  private long lastLine = 1;
  private long quotesInComments;

  /** Opens a file and reads up to its header. */
  public static CsvTable open(TextSource source) {
    try {
      QuoteCountingReader text = new QuoteCountingReader(source.open());
      try {
        return new CsvTable(source, text);
      } catch (RuntimeException e) {
        text.close();
        throw e;
      }
    } catch (IOException e) {
      throw source.unreadable(e);
    }
  }

  private CsvTable(TextSource source, QuoteCountingReader text) {
    this.source = source;
    this.text = text;
    reader =
        CsvReader.builder()
            .commentStrategy(CommentStrategy.READ)
            .allowExtraFields(true)
            .allowMissingFields(true)
            .maxBufferSize(MAX_BUFFER)
            .build(
                CsvRecordHandler.builder()
                    .maxFields(MAX_COLUMNS)
                    .maxFieldSize(MAX_FIELD)
                    .maxRecordSize(MAX_RECORD)
                    .build(),
                text);
    records = reader.iterator();
    CsvRecord names = nextRecord();
    while (names != null && names.isComment()) {
      comments.add(new Comment(names.getStartingLineNumber(), names.getField(0)));
      names = nextRecord();
    }
    if (names == null) {
      throw new BadInput(
          "%s has no header row.".formatted(source.label()), "Maybe the file is cut short.");
    }
    for (String name : names.getFields()) {
      if (columns.put(name.strip(), header.size()) != null) {
        throw new BadInput(
            "%s, line %d: two columns are named '%s'."
                .formatted(source.label(), names.getStartingLineNumber(), name.strip()),
            "Maybe remove one of them.");
      }
      header.add(name.strip());
    }
  }

  /** Returns the comments before the header. */
  public List<Comment> comments() {
    return comments;
  }

  /** Returns the columns' names in the file's order. */
  public List<String> header() {
    return header;
  }

  /** Returns the place of a column, or {@link #ABSENT}. */
  public int column(String name) {
    return columns.getOrDefault(name, ABSENT);
  }

  /** Returns the place of a column that the file must have. */
  public int requiredColumn(String name) {
    int column = column(name);
    if (column == ABSENT) {
      throw new BadInput(
          "%s, line %d: there is no column '%s'."
              .formatted(source.label(), comments.size() + 1, name),
          Suggestion.nearest(name, header) == null
              ? "Maybe the file is of another kind, or its header row is missing."
              : "Maybe rename the column '%s'.".formatted(Suggestion.nearest(name, header)));
    }
    return column;
  }

  /** Returns the next row, or null after the last. */
  public @Nullable CsvRow next() {
    CsvRecord record = nextRecord();
    while (record != null && record.isComment()) {
      record = nextRecord();
    }
    if (record == null) {
      return null;
    }
    if (record.getFieldCount() != header.size()) {
      throw new BadInput(
          "%s, line %d, column %d: the row has %d fields, but the header names %d columns."
              .formatted(
                  source.label(),
                  record.getStartingLineNumber(),
                  Math.min(record.getFieldCount(), header.size()) + 1,
                  record.getFieldCount(),
                  header.size()),
          "Maybe a comma or a closing quote is missing, or the file is cut short.");
    }
    return new CsvRow(this, record);
  }

  private @Nullable CsvRecord nextRecord() {
    try {
      if (!records.hasNext()) {
        if ((text.quotes() - quotesInComments) % 2 != 0) {
          throw unclosedQuote(lastLine);
        }
        return null;
      }
      CsvRecord record = records.next();
      lastLine = record.getStartingLineNumber();
      if (record.isComment()) {
        quotesInComments += record.getField(0).chars().filter(c -> c == '"').count();
      }
      return record;
    } catch (UncheckedIOException e) {
      throw source.unreadable(e);
    } catch (CsvParseException e) {
      throw unparsable();
    }
  }

  private BadInput unparsable() {
    return new BadInput(
        "%s, after line %d: the next row is no CSV, or has more than %d columns, %d characters in a field or %d in all."
            .formatted(source.label(), lastLine, MAX_COLUMNS, MAX_FIELD, MAX_RECORD),
        "Maybe a quote is not closed or not followed by a comma, or the file is not CSV.");
  }

  BadInput unclosedQuote(long line) {
    return new BadInput(
        "%s, line %d: a quote is opened and never closed.".formatted(source.label(), line),
        "Maybe write a quote inside a field twice, or close the field.");
  }

  BadInput failure(long line, int column, String problem, String wayOut) {
    return new BadInput(
        "%s, line %d, column %s: %s".formatted(source.label(), line, header.get(column), problem),
        wayOut);
  }

  @Override
  public void close() {
    try {
      reader.close();
    } catch (IOException e) {
      throw source.unreadable(e);
    }
  }
}
