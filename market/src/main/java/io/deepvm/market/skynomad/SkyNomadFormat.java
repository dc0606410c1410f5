package io.deepvm.market.skynomad;

import io.deepvm.base.TextSource;
import io.deepvm.market.Polarity;
import io.deepvm.market.ReadOptions;
import io.deepvm.market.Recording;
import io.deepvm.market.TraceFormat;
import io.deepvm.market.json.TraceJson;
import java.nio.file.Path;

/**
 * Reads the JSON of SkyNomad and kindred simulators, where 1 is preempted; distinguished from
 * spot-traces by price_info or start_time in its metadata. A file full.json is named by its folder.
 */
public final class SkyNomadFormat implements TraceFormat {

  @Override
  public String name() {
    return "skynomad";
  }

  @Override
  public boolean recognises(String opening) {
    return opening.stripLeading().startsWith("{")
        && opening.contains("\"gap_seconds\"")
        && (opening.contains("\"price_info\"") || opening.contains("\"start_time\""));
  }

  @Override
  public boolean countsAvailable() {
    return false;
  }

  @Override
  public Recording read(TextSource source, ReadOptions options) {
    TraceJson json = TraceJson.read(source);
    Polarity stated = options.polarity();
    return json.recording(
        name(source),
        stated == null ? Polarity.PREEMPTED : stated,
        options,
        stated != null
            ? "it was stated"
            : name().equals(options.format())
                ? "the format was stated"
                : "only simulators write price_info and start_time");
  }

  private static String name(TextSource source) {
    Path folder = Path.of(source.label()).toAbsolutePath().normalize().getParent();
    return source.stem().equals("full") && folder != null && folder.getFileName() != null
        ? folder.getFileName().toString()
        : source.stem();
  }
}
