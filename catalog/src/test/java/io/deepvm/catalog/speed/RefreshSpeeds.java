package io.deepvm.catalog.speed;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Makes the built-in speeds anew; run by name only, as docs/explanation/speeds.md says. */
final class RefreshSpeeds {

  @Test
  void writesTheSpeedsFromTheFolderNamedInTheProperties() throws IOException {
    String folder = Objects.requireNonNull(System.getProperty("speeds.folder"), "-Dspeeds.folder");
    Path file =
        Path.of(
            System.getProperty("deepvm.root"),
            "catalog/src/main/resources/io/deepvm/catalog/speed/speeds.csv.gz");
    PublishedSpeeds published = new PublishedSpeeds();
    List<MeasuredSpeed> speeds = published.read(Path.of(folder));
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    try (Writer out =
        new OutputStreamWriter(
            new GZIPOutputStream(Files.newOutputStream(file)), StandardCharsets.UTF_8)) {
      out.write(csv(speeds));
    }
    published.applied().forEach((source, rules) -> System.out.println(source + ": " + rules));
    assertThat(MeasuredSpeeds.read(file)).isEqualTo(speeds);
  }

  static String csv(List<MeasuredSpeed> speeds) {
    StringBuilder text = new StringBuilder(String.join(",", MeasuredSpeeds.COLUMNS)).append('\n');
    for (MeasuredSpeed speed : speeds) {
      text.append(
          String.join(
              ",",
              speed.model().replace(',', ' '),
              speed.gpu().name(),
              String.valueOf(speed.gpus()),
              speed.precision().toString(),
              orEmpty(speed.batch()),
              orEmpty(speed.sampleSize()),
              String.valueOf(speed.samplesPerSecond()),
              speed.source().name(),
              speed.source().date(),
              speed.source().unverified() ? "true" : ""));
      text.append('\n');
    }
    return text.toString();
  }

  private static String orEmpty(@Nullable Integer value) {
    return value == null ? "" : value.toString();
  }
}
