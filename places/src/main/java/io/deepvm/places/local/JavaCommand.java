package io.deepvm.places.local;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How another process of this very program is started, wherever it is started from. */
public final class JavaCommand {

  private JavaCommand() {}

  /** Returns the line that runs a class with this program's Java and its classes. */
  public static List<String> of(List<String> flags, Class<?> main, String... arguments) {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(flags);
    line.add("-cp");
    line.add(classes());
    line.add(main.getName());
    line.addAll(List.of(arguments));
    return line;
  }

  /** Returns the class path with no part relative to a folder that the process will not be in. */
  private static String classes() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(part -> Path.of(part).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
