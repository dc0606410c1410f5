package io.deepvm.page.watch;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was foreseen of a run before it began; kept in its folder. Times are the market's.
 *
 * @param basis what was simulated, in a sentence
 * @param usd of the whole run; null if no simulated run was done, as are the next two
 * @param seconds of the whole run
 * @param lostNodes how many nodes the run loses
 * @param band what the run has cost after some time
 * @param deadlineSeconds when the run must be done; null where nothing limits it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Forecast(
    String basis,
    @Nullable Spread usd,
    @Nullable Spread seconds,
    @Nullable Spread lostNodes,
    List<Moment> band,
    @Nullable Double deadlineSeconds) {

  private static final String FILE = "forecast.json";

  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  public Forecast {
    band = List.copyOf(band);
  }

  /** A figure: in one run of ten lower than low, in one of ten higher than high. */
  public record Spread(double low, double middle, double high) {}

  /** The dollars spent at a moment. */
  public record Moment(double atSeconds, Spread usd) {}

  /** Writes it into a run's folder. */
  public void write(Path runFolder) throws IOException {
    Path fresh = runFolder.resolve(FILE + ".new");
    PrivateFiles.write(fresh, JSON.writeValueAsString(this));
    Files.move(fresh, runFolder.resolve(FILE), StandardCopyOption.REPLACE_EXISTING);
  }

  /** Returns what a run's folder keeps; null if there is none that can be read. */
  public static @Nullable Forecast read(Path runFolder) throws IOException {
    try {
      return JSON.readValue(Files.readString(runFolder.resolve(FILE)), Forecast.class);
    } catch (NoSuchFileException | JsonProcessingException e) {
      return null;
    }
  }
}
