package io.deepvm.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Compares the files of libraries and plugins in Maven's local repository with a list of known
 * SHA-256 checksums, or makes that list. Needs the JDK only, so that {@code bench/checksums} can
 * start the source file.
 */
final class Checksums {

  private static final String OWN = "io/deepvm/";
  private static final Pattern PROPERTY = Pattern.compile("<([\\w.-]+)>([^<]+)</\\1>");
  private static final Pattern ARTIFACT =
      Pattern.compile(
          "(?s)(?:<groupId>([^<]+)</groupId>\\s*)?<artifactId>([^<]+)</artifactId>\\s*"
              + "<version>([^<]+)</version>");
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^}]+)}");

  /** Files that editors fetch beside a library and no build reads. */
  private static final Pattern UNUSED = Pattern.compile(".*-(sources|javadoc)\\.jar");

  /** Native code of platforms that the list was not made on. */
  private static final Pattern ELSEWHERE =
      Pattern.compile(".*(osx|darwin|mac|windows|win32|win-|aarch|arm64).*\\.jar");

  private final Path repository;

  /** By path in the repository. */
  private final Map<String, String> known = new TreeMap<>();

  private final List<String> problems = new ArrayList<>();

  Checksums(Path repository) {
    this.repository = repository;
  }

  /** Arguments: "make" or "check", the local repository, the list, the folder of the project. */
  public static void main(String[] args) throws IOException {
    Path repository = Path.of(args[1]);
    Path list = Path.of(args[2]);
    if (args[0].equals("make")) {
      new Checksums(repository).make(list);
      return;
    }
    List<String> problems = compare(repository, list, Path.of(args[3]), System.out);
    problems.forEach(System.err::println);
    if (!problems.isEmpty()) {
      System.err.println(
          "Maybe delete a damaged file. After a change of versions, run bench/checksums --update.");
      System.exit(1);
    }
  }

  /** Returns what is wrong in a repository, for a project. */
  static List<String> compare(Path repository, Path list, Path project, PrintStream out)
      throws IOException {
    Checksums checksums = new Checksums(repository);
    checksums.read(list);
    int compared = checksums.check(project, out);
    if (checksums.problems.isEmpty()) {
      out.printf(
          "%d of %d known files of libraries and plugins are here, all as they should be.%n",
          compared, checksums.known.size());
    }
    return checksums.problems;
  }

  void make(Path list) throws IOException {
    Map<String, String> sums = new TreeMap<>(hash(files()));
    List<String> lines = new ArrayList<>();
    sums.forEach((path, sum) -> lines.add(sum + "  " + path));
    Files.write(list, lines);
    System.out.printf("Wrote %d checksums to %s.%n", lines.size(), list);
  }

  private void read(Path list) throws IOException {
    for (String line : Files.readAllLines(list)) {
      known.put(line.substring(66), line.substring(0, 64));
    }
  }

  private int check(Path project, PrintStream out) throws IOException {
    // of many libraries the build reads the pom alone; what other builds put beside it is theirs
    Set<String> folders =
        known.keySet().stream()
            .filter(path -> path.endsWith(".jar"))
            .map(Checksums::folder)
            .collect(Collectors.toSet());
    List<String> here = new ArrayList<>();
    for (String path : files()) {
      if (known.containsKey(path)) {
        here.add(path);
      } else if (ELSEWHERE.matcher(path).matches()) {
        out.println(path + " is of another platform and was not compared.");
      } else if (folders.contains(folder(path)) && !UNUSED.matcher(path).matches()) {
        problems.add(path + " is unknown.");
      }
    }
    hash(here)
        .forEach(
            (path, sum) -> {
              if (!sum.equals(known.get(path))) {
                problems.add(path + " is not what it was: its SHA-256 is " + sum + ".");
              }
            });
    checkDeclared(project);
    checkShipped(project.resolve("cli/target/lib"));
    return here.size();
  }

  private static String folder(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  /** Returns the libraries and plugins in the repository, but for those of this project. */
  private List<String> files() throws IOException {
    if (!Files.isDirectory(repository)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(repository)) {
      return all.map(file -> repository.relativize(file).toString())
          .filter(path -> path.endsWith(".jar") || path.endsWith(".pom"))
          .filter(path -> !path.startsWith(OWN))
          .sorted()
          .toList();
    }
  }

  /** Reports what the project names, and the repository has, and the list does not know. */
  private void checkDeclared(Path project) throws IOException {
    List<String> poms = new ArrayList<>();
    try (Stream<Path> modules = Files.list(project)) {
      for (Path pom :
          (Iterable<Path>)
              Stream.concat(
                          Stream.of(project.resolve("pom.xml")),
                          modules.map(module -> module.resolve("pom.xml")))
                      .filter(Files::isRegularFile)
                  ::iterator) {
        poms.add(
            Files.readString(pom).replaceAll("(?s)<!--.*?-->|<exclusions>.*?</exclusions>", ""));
      }
    }
    Map<String, String> properties = new HashMap<>();
    for (String pom : poms) {
      Matcher matcher = PROPERTY.matcher(pom);
      while (matcher.find()) {
        properties.put(matcher.group(1), matcher.group(2));
      }
    }
    Set<String> unknown = new TreeSet<>();
    for (String pom : poms) {
      Matcher matcher = ARTIFACT.matcher(pom);
      while (matcher.find()) {
        String group = matcher.group(1) == null ? "org.apache.maven.plugins" : matcher.group(1);
        String version = resolved(matcher.group(3), properties);
        String folder = "%s/%s/%s".formatted(group.replace('.', '/'), matcher.group(2), version);
        String file = "%s/%s-%s.pom".formatted(folder, matcher.group(2), version);
        boolean here = Files.exists(repository.resolve(file));
        if (here && !file.startsWith(OWN) && !known.containsKey(file)) {
          unknown.add(folder + " is named in a pom and unknown.");
        }
      }
    }
    problems.addAll(unknown);
  }

  private static String resolved(String text, Map<String, String> properties) {
    Matcher matcher = REFERENCE.matcher(text);
    return matcher.replaceAll(
        found -> Matcher.quoteReplacement(properties.getOrDefault(found.group(1), "?")));
  }

  /** Reports libraries beside the built program that the list does not know. */
  private void checkShipped(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    Set<String> sums = new TreeSet<>(known.values());
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : (Iterable<Path>) files.sorted()::iterator) {
        String name = file.getFileName().toString();
        if (name.endsWith(".jar") && !name.startsWith("deepvm-") && !sums.contains(sum(file))) {
          problems.add(file + " is shipped and unknown.");
        }
      }
    }
  }

  private Map<String, String> hash(Collection<String> paths) {
    Map<String, String> sums = new ConcurrentHashMap<>();
    paths.parallelStream().forEach(path -> sums.put(path, sum(repository.resolve(path))));
    return sums;
  }

  private static String sum(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] piece = new byte[1 << 16];
      for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
        digest.update(piece, 0, read);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (IOException | NoSuchAlgorithmException e) {
      return "unreadable: " + e;
    }
  }
}
