package io.deepvm.cli.options;

import io.deepvm.base.BadInput;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;

/** Paths that the user names: checked before any work is done, and named as they were given. */
public final class GivenPath {

  private GivenPath() {}

  /** A file to read; who reads it says when it is missing. */
  public static final class Source implements ITypeConverter<Path> {

    @Override
    public Path convert(String text) {
      return notAFolder(path(text));
    }
  }

  /** A file to write. */
  public static final class Target implements ITypeConverter<Path> {

    @Override
    public Path convert(String text) {
      Path file = notAFolder(path(text));
      Path folder = file.toAbsolutePath().getParent();
      if (folder == null || !Files.isDirectory(folder)) {
        throw new BadInput(
            "'%s' cannot be written: there is no such folder.".formatted(text),
            "Maybe make the folder first.");
      }
      requireWritable(text, folder);
      return file;
    }
  }

  /** Returns a folder to write into, which is made later when it is missing. */
  static Path folder(String text) {
    Path folder = path(text);
    @Nullable Path there = folder.toAbsolutePath();
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    if (there == null || !Files.isDirectory(there)) {
      throw new BadInput(
          "'%s' cannot be a folder: '%s' is a file.".formatted(text, there),
          "Maybe name another folder.");
    }
    requireWritable(text, there);
    return folder;
  }

  private static Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw new BadInput("'%s' is not a path.".formatted(text), "Maybe quote it.");
    }
  }

  private static Path notAFolder(Path file) {
    if (Files.isDirectory(file)) {
      throw new BadInput(
          "'%s' is a folder, not a file.".formatted(file), "Maybe name a file in that folder.");
    }
    return file;
  }

  private static void requireWritable(String text, Path folder) {
    if (!Files.isWritable(folder)) {
      throw new BadInput(
          "'%s' cannot be written: you may not write into that folder.".formatted(text),
          "Maybe choose another folder.");
    }
  }
}
