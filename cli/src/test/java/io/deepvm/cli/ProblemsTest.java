package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

class ProblemsTest {

  @TempDir Path folder;

  private static String said(Exception problem) {
    StringWriter err = new StringWriter();
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    Terminal terminal =
        new Terminal(nowhere, new PrintWriter(err), false, false, false, Clock.systemUTC());
    CommandLine commands = Main.commandLine(terminal);
    ParseResult parsed = commands.parseArgs();
    int code = new Problems(terminal).handleExecutionException(problem, commands, parsed);
    assertThat(code).isEqualTo(Exit.BAD_INPUT);
    return err.toString();
  }

  @Test
  void aFileThatCannotBeUsedIsASentenceThatNamesIt() {
    Map<FileSystemException, String> sentences =
        Map.of(
            new AccessDeniedException("a"), "'a' may not be read or changed by this user.",
            new NoSuchFileException("b"), "'b' does not exist.",
            new FileAlreadyExistsException("c"), "'c' exists already.",
            new DirectoryNotEmptyException("d"), "'d' is a folder that is not empty.",
            new NotDirectoryException("e"), "'e' is not a folder.",
            new FileSystemException("f", null, "No space left on device"),
                "'f' cannot be used: No space left on device.",
            new FileSystemException("g", "h", "Invalid cross-device link"),
                "'g -> h' cannot be used: Invalid cross-device link.",
            new FileSystemException("i"), "'i' cannot be used as a file or folder.");
    sentences.forEach(
        (problem, sentence) -> {
          assertThat(said(problem)).startsWith(sentence).contains("Maybe", sentence);
          assertThat(said(new UncheckedIOException(problem)))
              .startsWith(sentence)
              .doesNotContain("Exception");
        });
  }

  @Test
  void aPathBelowAFileIsRefusedByItsName() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    Screen screen = Screen.run("checkpoint", "gc", "--store", file.resolve("store").toString());
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains("file/store").contains("Maybe").doesNotContain("Exception");
  }
}
