package io.deepvm.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChecksumsTest {

  @TempDir Path folder;

  private Path repository;
  private Path list;
  private Path project;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @BeforeEach
  void makeList() throws IOException {
    repository = folder.resolve("repository");
    list = folder.resolve("list");
    project = Files.createDirectories(folder.resolve("project"));
    put("org/tool/tool/1.0/tool-1.0.jar", "what it does");
    put("org/tool/tool/1.0/tool-1.0.pom", "what it is");
    put("io/deepvm/own/1.0/own-1.0.jar", "built here");
    new Checksums(repository).make(list);
    assertThat(Files.readAllLines(list)).hasSize(2);
  }

  private void put(String path, String text) throws IOException {
    Path file = repository.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private List<String> problems() throws IOException {
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    return Checksums.compare(repository, list, project, out);
  }

  @Test
  void whatIsAsItWasOrNotHereIsRight() throws IOException {
    assertThat(problems()).isEmpty();
    Files.delete(repository.resolve("org/tool/tool/1.0/tool-1.0.jar"));
    // of another project, whose libraries are none of ours
    put("com/other/other/2.0/other-2.0.jar", "anything");
    put("org/tool/tool/1.0/tool-1.0-sources.jar", "for an editor");
    put("io/deepvm/own/1.0/own-1.0.jar", "built again");
    assertThat(problems()).isEmpty();
    assertThat(said.toString(StandardCharsets.UTF_8)).contains("1 of 2 known files");
  }

  @Test
  void aFileThatDiffersIsNamed() throws IOException {
    put("org/tool/tool/1.0/tool-1.0.jar", "what it does, and more");
    assertThat(problems())
        .singleElement()
        .asString()
        .startsWith("org/tool/tool/1.0/tool-1.0.jar is not what it was");
  }

  @Test
  void anUnknownFileBesideAKnownOneIsNamed() throws IOException {
    put("org/tool/tool/1.0/tool-1.0-more.jar", "more");
    assertThat(problems()).containsExactly("org/tool/tool/1.0/tool-1.0-more.jar is unknown.");
  }

  @Test
  void aVersionThatAPomNamesMustBeKnown() throws IOException {
    put("org/tool/tool/1.1/tool-1.1.pom", "the next one");
    assertThat(problems()).isEmpty();
    Files.writeString(
        project.resolve("pom.xml"),
        """
        <properties><tool.version>1.1</tool.version></properties>
        <dependency><groupId>org.tool</groupId><artifactId>tool</artifactId>
          <version>${tool.version}</version></dependency>
        """);
    assertThat(problems()).containsExactly("org/tool/tool/1.1 is named in a pom and unknown.");
  }

  @Test
  void aShippedLibraryMustBeKnown() throws IOException {
    Path shipped = Files.createDirectories(project.resolve("cli/target/lib"));
    Files.writeString(shipped.resolve("tool-1.0.jar"), "what it does");
    Files.writeString(shipped.resolve("deepvm-own-1.0.jar"), "built here");
    assertThat(problems()).isEmpty();
    Path strange = Files.writeString(shipped.resolve("strange.jar"), "who knows");
    assertThat(problems()).containsExactly(strange + " is shipped and unknown.");
  }
}
