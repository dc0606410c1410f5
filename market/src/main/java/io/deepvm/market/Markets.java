package io.deepvm.market;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.base.TextSource;
import io.deepvm.market.counts.WideCountsFormat;
import io.deepvm.market.interruption.Interruptions;
import io.deepvm.market.own.OwnFormat;
import io.deepvm.market.pricehistory.PriceHistoryFormat;
import io.deepvm.market.skynomad.SkyNomadFormat;
import io.deepvm.market.spottraces.SpotTracesFormat;
import java.io.IOException;
import java.lang.ref.SoftReference;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds and reads traces, by built-in name or from files in any known format. */
public final class Markets {

  private static final List<String> BUILT_IN = List.of("gcp-h100-2025-10", "aws-v100-2023-02");

  private static final List<TraceFormat> FORMATS =
      List.of(
          new OwnFormat(),
          new SkyNomadFormat(),
          new SpotTracesFormat(),
          new PriceHistoryFormat(),
          new WideCountsFormat());

  /** Built-in records that were read before, for as long as there is memory for them. */
  private static final Map<String, SoftReference<Recording>> READ = new ConcurrentHashMap<>();

  private Markets() {}

  /** Returns the names of the built-in traces. */
  public static List<String> builtIn() {
    return BUILT_IN;
  }

  /** Returns the built-in record that stands in for a cloud whose type was not recorded. */
  public static String standIn(String cloud) {
    return cloud.equals("aws") ? "aws-v100-2023-02" : "gcp-h100-2025-10";
  }

  /** Returns the names of the formats that can be read. */
  public static List<String> formats() {
    return FORMATS.stream().map(TraceFormat::name).toList();
  }

  /** Reads built-in traces by name, a file in any known format, or a folder of such files. */
  public static Recording load(String nameOrPath) {
    if (!BUILT_IN.contains(nameOrPath)) {
      return load(nameOrPath, ReadOptions.NONE);
    }
    SoftReference<Recording> known = READ.get(nameOrPath);
    Recording recording = known == null ? null : known.get();
    if (recording == null) {
      recording = load(nameOrPath, ReadOptions.NONE);
      READ.put(nameOrPath, new SoftReference<>(recording));
    }
    return recording;
  }

  /** Reads like {@link #load(String)}, with facts that the files lack. */
  public static Recording load(String nameOrPath, ReadOptions options) {
    if (BUILT_IN.contains(nameOrPath)) {
      TraceFormat format = options.format() == null ? new OwnFormat() : named(options.format());
      return read(
          format, TextSource.builtIn(nameOrPath, Markets.class, nameOrPath + ".csv.gz"), options);
    }
    Path path = path(nameOrPath);
    if (path != null && Files.isDirectory(path)) {
      return readFolder(path, options);
    }
    if (path != null && Files.exists(path)) {
      return readFile(path, options);
    }
    throw new BadInput(
        "There is no trace, file or folder '%s'.".formatted(nameOrPath),
        Suggestion.maybe(
            nameOrPath,
            BUILT_IN,
            "Maybe name a file, a folder of them, or one of the built-in traces %s."
                .formatted(String.join(", ", BUILT_IN))));
  }

  /** Reads prices sampled on change. */
  public static PriceHistory priceHistory(Path file) {
    return PriceHistoryFormat.history(existing(file));
  }

  /** Reads how often spot nodes are interrupted, from Spot Advisor JSON or SpotLake CSV. */
  public static Interruptions interruptions(Path file) {
    TextSource source = existing(file);
    return Interruptions.read(source, source.opening());
  }

  /** Writes traces in our own format, gzipped when the name ends in .gz. */
  public static void write(Recording recording, Path file) {
    OwnFormat.write(recording, file);
  }

  private static TextSource existing(Path file) {
    if (!Files.exists(file)) {
      throw new BadInput(
          "There is no file '%s'.".formatted(file), "Maybe it is in another folder.");
    }
    return TextSource.of(file);
  }

  private static @Nullable Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      return null;
    }
  }

  private static Recording readFile(Path file, ReadOptions options) {
    TextSource source = TextSource.of(file);
    if (options.format() != null) {
      return read(named(options.format()), source, options);
    }
    String opening = source.opening();
    for (TraceFormat format : FORMATS) {
      if (format.recognises(opening)) {
        return read(format, source, options);
      }
    }
    throw new BadInput(
        "%s is in no trace format we know.".formatted(file),
        "Maybe it should be one of: %s.".formatted(String.join(", ", formats())));
  }

  private static TraceFormat named(String name) {
    for (TraceFormat format : FORMATS) {
      if (format.name().equals(name)) {
        return format;
      }
    }
    throw new BadInput(
        "There is no trace format '%s'.".formatted(name),
        Suggestion.maybe(
            name, formats(), "Maybe use one of %s.".formatted(String.join(", ", formats()))));
  }

  private static Recording read(TraceFormat format, TextSource source, ReadOptions options) {
    if (options.polarity() == Polarity.PREEMPTED && format.countsAvailable()) {
      throw new BadInput(
          "%s is in the format '%s', which counts available nodes, not preempted ones."
              .formatted(source.label(), format.name()),
          "Maybe leave --polarity out.");
    }
    return format.read(source, options);
  }

  private static Recording readFolder(Path folder, ReadOptions options) {
    List<Trace> traces = new ArrayList<>();
    List<PriceCourse> prices = new ArrayList<>();
    Set<String> assumptions = new LinkedHashSet<>();
    for (Path file : traceFiles(folder)) {
      Recording part = readFile(file, options);
      traces.addAll(part.traces());
      prices.addAll(part.prices());
      assumptions.addAll(part.assumptions());
    }
    return new Recording(
        folder.toAbsolutePath().normalize().getFileName().toString(),
        "the folder " + folder,
        "",
        traces,
        prices,
        List.copyOf(assumptions));
  }

  // Simulators keep a zone's whole trace in full.json, in a folder of its own beside windows of it.
  private static List<Path> traceFiles(Path folder) {
    List<Path> found = new ArrayList<>();
    List<Path> inside = list(folder);
    for (Path path : inside) {
      Path whole = path.resolve("full.json");
      if (Files.isDirectory(path) && Files.isRegularFile(whole)) {
        found.add(whole);
      } else if (Files.isRegularFile(path) && path.toString().matches(".*\\.(json|csv)(\\.gz)?")) {
        found.add(path);
      }
    }
    Path whole = folder.resolve("full.json");
    if (found.contains(whole)) {
      return List.of(whole);
    }
    if (found.isEmpty()) {
      throw new BadInput(
          "The folder %s holds no traces.".formatted(folder),
          "Maybe name a folder with .json or .csv files, or with zones' folders with full.json.");
    }
    return found;
  }

  private static List<Path> list(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new BadInput(
          "The folder %s cannot be listed.".formatted(folder), "Maybe you may not read it.");
    }
  }
}
