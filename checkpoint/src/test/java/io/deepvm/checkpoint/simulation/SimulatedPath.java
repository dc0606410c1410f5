package io.deepvm.checkpoint.simulation;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;

/** A path in the file system of one simulated process. */
final class SimulatedPath implements Path {

  private final SimulatedFiles files;
  private final boolean absolute;
  private final List<String> names;

  SimulatedPath(SimulatedFiles files, boolean absolute, List<String> names) {
    this.files = files;
    this.absolute = absolute;
    this.names = List.copyOf(names);
  }

  static SimulatedPath parse(SimulatedFiles files, String text) {
    List<String> names = new ArrayList<>();
    for (String name : text.split("/", -1)) {
      if (!name.isEmpty() && !name.equals(".")) {
        names.add(name);
      }
    }
    return new SimulatedPath(files, text.startsWith("/"), names);
  }

  List<String> names() {
    return names;
  }

  String name() {
    return names.get(names.size() - 1);
  }

  SimulatedFiles files() {
    return files;
  }

  @Override
  public FileSystem getFileSystem() {
    return files;
  }

  @Override
  public boolean isAbsolute() {
    return absolute;
  }

  @Override
  public Path getRoot() {
    return absolute ? new SimulatedPath(files, true, List.of()) : null;
  }

  @Override
  public SimulatedPath getFileName() {
    return names.isEmpty() ? null : new SimulatedPath(files, false, List.of(name()));
  }

  @Override
  public SimulatedPath getParent() {
    return names.isEmpty() || (!absolute && names.size() == 1)
        ? null
        : new SimulatedPath(files, absolute, names.subList(0, names.size() - 1));
  }

  @Override
  public int getNameCount() {
    return names.size();
  }

  @Override
  public Path getName(int index) {
    return new SimulatedPath(files, false, List.of(names.get(index)));
  }

  @Override
  public Path subpath(int begin, int end) {
    return new SimulatedPath(files, false, names.subList(begin, end));
  }

  private SimulatedPath ours(Path other) {
    return other instanceof SimulatedPath known ? known : parse(files, other.toString());
  }

  @Override
  public boolean startsWith(Path other) {
    SimulatedPath start = ours(other);
    return files == start.files
        && absolute == start.absolute
        && names.size() >= start.names.size()
        && names.subList(0, start.names.size()).equals(start.names);
  }

  @Override
  public boolean endsWith(Path other) {
    SimulatedPath end = ours(other);
    return names.size() >= end.names.size()
        && names.subList(names.size() - end.names.size(), names.size()).equals(end.names);
  }

  @Override
  public Path normalize() {
    return this;
  }

  @Override
  public Path resolve(Path other) {
    SimulatedPath rest = ours(other);
    if (rest.absolute) {
      return rest;
    }
    List<String> all = new ArrayList<>(names);
    all.addAll(rest.names);
    return new SimulatedPath(files, absolute, all);
  }

  @Override
  public Path relativize(Path other) {
    SimulatedPath longer = ours(other);
    if (!longer.startsWith(this)) {
      throw new UnsupportedOperationException("Only paths below are simulated.");
    }
    return new SimulatedPath(files, false, longer.names.subList(names.size(), longer.names.size()));
  }

  @Override
  public URI toUri() {
    return URI.create("simulated:" + this);
  }

  @Override
  public Path toAbsolutePath() {
    return absolute ? this : new SimulatedPath(files, true, names);
  }

  @Override
  public Path toRealPath(LinkOption... options) throws IOException {
    files.light();
    files.disk().get(this);
    return toAbsolutePath();
  }

  @Override
  public WatchKey register(
      WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
    throw new UnsupportedOperationException("Watching is not simulated.");
  }

  @Override
  public int compareTo(Path other) {
    return toString().compareTo(other.toString());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SimulatedPath path
        && files == path.files
        && absolute == path.absolute
        && names.equals(path.names);
  }

  @Override
  public int hashCode() {
    return names.hashCode();
  }

  @Override
  public String toString() {
    return (absolute ? "/" : "") + String.join("/", names);
  }
}
