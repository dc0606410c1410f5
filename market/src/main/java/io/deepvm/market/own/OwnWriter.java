package io.deepvm.market.own;

import com.fasterxml.jackson.core.io.NumberOutput;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.base.CsvCell;
import io.deepvm.market.Recording;
import io.deepvm.market.Trace;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Writes our own format: pool by pool, every tick a row, a gap as an empty field. */
final class OwnWriter {

  private static final int BUFFER = 1 << 16;

  private OwnWriter() {}

  static void write(Recording recording, Path file) {
    requireOneTick(recording);
    try {
      AtomicFile.write(
          file,
          part -> {
            try (OutputStream out = Files.newOutputStream(part)) {
              write(recording, out, file.toString().endsWith(".gz"));
            }
          });
    } catch (UncheckedIOException e) {
      throw new BadInput(
          "The traces cannot be written to %s: %s.".formatted(file, e.getCause()),
          "Maybe the folder does not exist, is full, or you may not write there.");
    }
  }

  private static void requireOneTick(Recording recording) {
    Duration tick = recording.traces().get(0).tick();
    for (Trace trace : recording.traces()) {
      if (!trace.tick().equals(tick)) {
        throw new BadInput(
            "The traces of %s and %s have ticks of %s s and %s s, but a file has one."
                .formatted(
                    recording.traces().get(0).pool(),
                    trace.pool(),
                    tick.toNanos() / 1e9,
                    trace.tickSeconds()),
            "Maybe align them with --tick.");
      }
    }
  }

  // Java's gzip header carries no time and no name, so the same traces give the same bytes.
  private static void write(Recording recording, OutputStream file, boolean gzip)
      throws IOException {
    OutputStream bytes = gzip ? new GZIPOutputStream(file, BUFFER) : file;
    Writer out = new BufferedWriter(new OutputStreamWriter(bytes, StandardCharsets.UTF_8), BUFFER);
    write(recording, out);
    out.flush();
    if (bytes instanceof GZIPOutputStream zipped) {
      zipped.finish();
    }
  }

  private static void write(Recording recording, Writer out) throws IOException {
    Duration tick = recording.traces().get(0).tick();
    out.write(OwnFormat.FIRST_LINE + "\n");
    out.write("# name: " + oneLine(recording.name()) + "\n");
    out.write("# source: " + oneLine(recording.source()) + "\n");
    if (!recording.licence().isBlank()) {
      out.write("# licence: " + oneLine(recording.licence()) + "\n");
    }
    out.write("# tick-seconds: " + seconds(tick) + "\n");
    CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(out);
    csv.writeRecord(OwnFormat.COLUMNS);
    for (Trace trace : recording.traces()) {
      write(trace, csv);
    }
    csv.flush();
  }

  private static void write(Trace trace, CsvWriter csv) {
    String[] row = new String[OwnFormat.COLUMNS.size()];
    row[1] = CsvCell.of(trace.pool().place().toString());
    row[2] = CsvCell.of(trace.pool().instanceType());
    row[4] = Integer.toString(trace.asked());
    Double onDemand = trace.onDemandUsdPerHour();
    row[6] = onDemand == null ? "" : number(onDemand);
    double[] prices = trace.spotUsdPerHour();
    for (int t = 0; t < trace.length(); t++) {
      int count = trace.available()[t];
      row[0] = time(trace.start(), trace.tick().multipliedBy(t));
      row[3] = count == Trace.UNKNOWN ? "" : Integer.toString(count);
      row[5] = prices.length == 0 || Double.isNaN(prices[t]) ? "" : number(prices[t]);
      csv.writeRecord(row);
    }
  }

  private static String time(@Nullable Instant start, Duration passed) {
    return start == null ? seconds(passed) : start.plus(passed).toString();
  }

  private static String seconds(Duration duration) {
    BigDecimal seconds = BigDecimal.valueOf(duration.toNanos(), 9);
    return seconds.signum() == 0 ? "0" : seconds.stripTrailingZeros().toPlainString();
  }

  // Double.toString prints other digits before JDK 19.
  private static String number(double value) {
    return NumberOutput.toString(value, true);
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }
}
