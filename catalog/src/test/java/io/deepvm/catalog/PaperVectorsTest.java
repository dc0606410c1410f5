package io.deepvm.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PaperVectorsTest {

  private final Path folder;

  PaperVectorsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Catalog vector(String name) throws IOException {
    JsonNode vectors = new ObjectMapper().readTree(Shared.path("vectors/deepvm.json").toFile());
    String json = vectors.at("/catalog/" + name).toString();
    return Catalogs.load(Files.writeString(folder.resolve(name + ".json"), json).toString());
  }

  @ParameterizedTest
  @CsvSource({"paper, real", "paper-simulation, simulation"})
  void theBuiltInPaperCatalogsAreTheOriginals(String builtIn, String vector) throws IOException {
    Catalog expected = vector(vector);

    assertThat(Catalogs.load(builtIn).listings()).isEqualTo(expected.listings());
    assertThat(Catalogs.load(builtIn).quotas()).isEqualTo(expected.quotas());
  }

  @Test
  void theOriginalsSurviveOurOwnFormat() throws IOException {
    for (String name : new String[] {"real", "simulation"}) {
      Catalog original = vector(name);
      Path file = folder.resolve(name + ".csv.gz");

      Catalogs.write(original, file);

      assertThat(Catalogs.load(file.toString())).isEqualTo(original);
    }
  }
}
