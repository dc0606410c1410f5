package io.deepvm.checkpoint.simulation;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** File operations on a simulated disk. Those that change it are steps, and may fail. */
final class SimulatedProvider extends FileSystemProvider {

  private static SimulatedPath path(Path path) {
    return (SimulatedPath) path;
  }

  @Override
  public String getScheme() {
    return "simulated";
  }

  @Override
  public FileSystem newFileSystem(URI uri, Map<String, ?> options) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileSystem getFileSystem(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Path getPath(URI uri) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileChannel newFileChannel(
      Path where, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    SimulatedPath path = path(where);
    SimulatedFiles files = path.files();
    boolean writes = options.contains(StandardOpenOption.WRITE);
    if (writes) {
      files.step("open", path);
    } else {
      files.light();
    }
    DiskNode node = files.disk().find(path);
    if (node != null && options.contains(StandardOpenOption.CREATE_NEW)) {
      throw new FileAlreadyExistsException(path.toString());
    }
    if (node == null
        && writes
        && (options.contains(StandardOpenOption.CREATE)
            || options.contains(StandardOpenOption.CREATE_NEW))) {
      files.faults().mayFail(Faults.Kind.DISK_ERROR, "creating " + path);
      node = files.disk().create(path, false);
    }
    if (node == null) {
      throw new NoSuchFileException(path.toString());
    }
    if (writes && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      node.truncate(0);
    }
    return new SimulatedChannel(path, node, options.contains(StandardOpenOption.APPEND));
  }

  @Override
  public SeekableByteChannel newByteChannel(
      Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
      throws IOException {
    return newFileChannel(path, options, attributes);
  }

  @Override
  public DirectoryStream<Path> newDirectoryStream(
      Path where, DirectoryStream.Filter<? super Path> filter) throws IOException {
    SimulatedPath path = path(where);
    path.files().light();
    DiskNode folder = path.files().disk().get(path);
    if (!folder.isFolder()) {
      throw new NotDirectoryException(path.toString());
    }
    List<Path> found = new ArrayList<>();
    for (String name : folder.children().keySet()) {
      Path child = path.resolve(name);
      if (filter.accept(child)) {
        found.add(child);
      }
    }
    return new DirectoryStream<>() {
      @Override
      public Iterator<Path> iterator() {
        return found.iterator();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void createDirectory(Path where, FileAttribute<?>... attributes) throws IOException {
    SimulatedPath path = path(where);
    path.files().step("mkdir", path);
    path.files().faults().mayFail(Faults.Kind.DISK_ERROR, "mkdir " + path);
    DiskNode unused = path.files().disk().create(path, true);
  }

  @Override
  public void delete(Path where) throws IOException {
    SimulatedPath path = path(where);
    path.files().step("delete", path);
    DiskNode node = path.files().disk().get(path);
    if (node.isFolder() && !node.children().isEmpty()) {
      throw new DirectoryNotEmptyException(path.toString());
    }
    path.files().disk().remove(path);
  }

  @Override
  public void copy(Path source, Path target, CopyOption... options) {
    throw new UnsupportedOperationException("Copying is not simulated.");
  }

  @Override
  public void createLink(Path link, Path existing) throws IOException {
    throw new UnsupportedOperationException("Links are not simulated.");
  }

  @Override
  public void move(Path from, Path to, CopyOption... options) throws IOException {
    SimulatedPath target = path(to);
    target.files().step("rename", target);
    target.files().faults().mayFail(Faults.Kind.DISK_ERROR, "rename " + target);
    target.files().disk().rename(path(from), target);
  }

  @Override
  public boolean isSameFile(Path a, Path b) throws IOException {
    return path(a).files().disk().get(path(a)) == path(b).files().disk().get(path(b));
  }

  @Override
  public boolean isHidden(Path path) {
    return false;
  }

  @Override
  public FileStore getFileStore(Path path) {
    throw new UnsupportedOperationException("File stores are not simulated.");
  }

  @Override
  public void checkAccess(Path where, AccessMode... modes) throws IOException {
    SimulatedPath path = path(where);
    path.files().light();
    DiskNode unused = path.files().disk().get(path);
  }

  @Override
  public <V extends FileAttributeView> V getFileAttributeView(
      Path where, Class<V> type, LinkOption... options) {
    return type == PosixFileAttributeView.class
        ? type.cast(new SimulatedAttributes.View(path(where)))
        : null;
  }

  @Override
  public <A extends BasicFileAttributes> A readAttributes(
      Path where, Class<A> type, LinkOption... options) throws IOException {
    SimulatedPath path = path(where);
    path.files().light();
    return type.cast(new SimulatedAttributes(path.files().disk().get(path)));
  }

  /** Every file is this user's and private, as the stores make them. */
  @Override
  public Map<String, Object> readAttributes(Path where, String names, LinkOption... options)
      throws IOException {
    SimulatedPath path = path(where);
    path.files().light();
    boolean folder = path.files().disk().get(path).isFolder();
    return switch (names) {
      case "unix:mode" -> Map.of("mode", folder ? 0700 : 0600);
      case "unix:uid" -> Map.of("uid", PrivateFiles.user());
      default ->
          throw new UnsupportedOperationException(
              "The attributes %s are not simulated.".formatted(names));
    };
  }

  @Override
  public void setAttribute(Path path, String name, Object value, LinkOption... options) {}
}
