package io.deepvm.checkpoint.simulation;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;

/**
 * What one process sees of its machine's disk. Paths of two processes are never equal, so that
 * tables that are static, hence one a process, do not mix two simulated ones.
 */
public final class SimulatedFiles extends FileSystem {

  private final SimulatedProcess process;
  private final SimulatedProvider provider = new SimulatedProvider();

  SimulatedFiles(SimulatedProcess process) {
    this.process = process;
  }

  SimulatedProcess process() {
    return process;
  }

  SimulatedDisk disk() {
    return process.machine().disk();
  }

  Faults faults() {
    return process.world().faults();
  }

  /** Looking at the disk is a step at which other threads may go first. */
  void light() {
    SimulatedThread me = SimulatedThread.current();
    process.world().scheduler().point(me);
  }

  /** Changing the disk is a step at which the process may die. */
  void step(String what, Path path) {
    faults().step(what + " " + path);
  }

  @Override
  public FileSystemProvider provider() {
    return provider;
  }

  @Override
  public void close() {}

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public boolean isReadOnly() {
    return false;
  }

  @Override
  public String getSeparator() {
    return "/";
  }

  @Override
  public Iterable<Path> getRootDirectories() {
    return List.of(getPath("/"));
  }

  @Override
  public Iterable<FileStore> getFileStores() {
    return List.of();
  }

  @Override
  public Set<String> supportedFileAttributeViews() {
    return Set.of("basic", "posix");
  }

  @Override
  public Path getPath(String first, String... more) {
    return SimulatedPath.parse(
        this, more.length == 0 ? first : first + "/" + String.join("/", more));
  }

  @Override
  public PathMatcher getPathMatcher(String syntax) {
    throw new UnsupportedOperationException("Patterns are not simulated.");
  }

  @Override
  public UserPrincipalLookupService getUserPrincipalLookupService() {
    throw new UnsupportedOperationException("Users are not simulated.");
  }

  @Override
  public WatchService newWatchService() {
    throw new UnsupportedOperationException("Watching is not simulated.");
  }
}
