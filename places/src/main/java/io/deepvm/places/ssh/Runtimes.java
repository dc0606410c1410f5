package io.deepvm.places.ssh;

import io.deepvm.base.PrivateFiles;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** This program as files that hosts need: its classes, and a Java to run them. */
final class Runtimes {

  /**
   * Libraries that only planning and the built-in trainer need, larger than all others together.
   */
  private static final List<String> HEAVY = List.of("pytorch-", "ortools-");

  /** The property with the runtime of a program that was itself brought to its host. */
  private static final String SHIPPED = "deepvm.runtime";

  private static final Map<SshSettings.Classes, Bundle> KNOWN =
      new EnumMap<>(SshSettings.Classes.class);

  private Runtimes() {}

  /**
   * Files to put together on a host.
   *
   * @param sum names them all together; empty if there are none
   */
  record Bundle(String sum, List<Content> contents) {

    /** Returns a line for each file: its sum and its name. */
    String manifest() {
      StringBuilder lines = new StringBuilder();
      contents.forEach(
          each -> lines.append(each.sum()).append(' ').append(each.name()).append('\n'));
      return lines.toString();
    }
  }

  /** Returns the files that nodes need for these classes. */
  static synchronized Bundle of(SshSettings.Classes classes) throws IOException {
    Bundle known = KNOWN.get(classes);
    if (known == null) {
      known = make(classes);
      KNOWN.put(classes, known);
    }
    return known;
  }

  private static Bundle make(SshSettings.Classes classes) throws IOException {
    if (classes == SshSettings.Classes.NONE) {
      return new Bundle("", List.of());
    }
    String shipped = System.getProperty(SHIPPED);
    if (shipped != null) {
      return shipped(Path.of(shipped));
    }
    List<Content> contents = new ArrayList<>();
    Set<String> names = new LinkedHashSet<>();
    for (Path part : classPath()) {
      Path file = Files.isDirectory(part) ? packed(part) : part;
      String name = file.getFileName().toString();
      boolean heavy = HEAVY.stream().anyMatch(name::startsWith);
      if ((classes == SshSettings.Classes.ALL || !heavy) && names.add(name)) {
        contents.add(Content.of(name, file));
      }
    }
    JavaImage.packed().ifPresent(image -> contents.add(Content.of(JavaImage.NAME, image)));
    Bundle all = new Bundle("", contents);
    return new Bundle(Content.sum(all.manifest()), contents);
  }

  /** Returns the files that this program itself was brought as, for further hosts. */
  private static Bundle shipped(Path runtime) throws IOException {
    Path files = runtime.resolveSibling("../files").normalize();
    List<Content> contents = new ArrayList<>();
    for (String line : Files.readAllLines(runtime.resolve("manifest"))) {
      String[] words = line.split(" ", 2);
      contents.add(new Content(words[0], words[1], files.resolve(words[0])));
    }
    return new Bundle(runtime.getFileName().toString(), contents);
  }

  /** Returns the files and folders of the class path, with those that jars name in turn. */
  private static Set<Path> classPath() throws IOException {
    Set<Path> parts = new LinkedHashSet<>();
    for (String part : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      add(Path.of(part).toAbsolutePath().normalize(), parts);
    }
    return parts;
  }

  private static void add(Path part, Set<Path> parts) throws IOException {
    if (!Files.exists(part) || !parts.add(part) || Files.isDirectory(part)) {
      return;
    }
    try (JarFile jar = new JarFile(part.toFile())) {
      Manifest manifest = jar.getManifest();
      String more =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.CLASS_PATH);
      for (String relative : more == null ? new String[0] : more.split(" +", -1)) {
        URI uri = part.toUri().resolve(relative);
        if (!relative.isEmpty() && "file".equals(uri.getScheme())) {
          add(Path.of(uri).normalize(), parts);
        }
      }
    }
  }

  /** Returns a folder of classes as a jar, the same bytes for the same classes. */
  private static Path packed(Path folder) throws IOException {
    Path cache = PrivateFiles.folder(JavaImage.cache());
    Path fresh = Files.createTempFile(cache, "classes", ".new");
    try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(fresh));
        ZipOutputStream zip = new ZipOutputStream(file);
        Stream<Path> all = Files.walk(folder)) {
      all.filter(Files::isRegularFile).sorted().forEach(each -> pack(folder, each, zip));
    }
    Content content = Content.of("", fresh);
    Path jar = cache.resolve("classes-%s.jar".formatted(content.sum().substring(0, 16)));
    Files.move(fresh, jar, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    return jar;
  }

  private static void pack(Path folder, Path file, ZipOutputStream zip) {
    try {
      ZipEntry entry = new ZipEntry(folder.relativize(file).toString());
      entry.setTime(0);
      zip.putNextEntry(entry);
      Files.copy(file, zip);
      zip.closeEntry();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
