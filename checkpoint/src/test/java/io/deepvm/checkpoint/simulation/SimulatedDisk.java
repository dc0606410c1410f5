package io.deepvm.checkpoint.simulation;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A disk and its cache. What is written or renamed is seen at once by all processes; a crash drops
 * or tears it unless the file, and for names the folder, was synced.
 */
public final class SimulatedDisk {

  private final SplittableRandom random;
  private DiskNode root = new DiskNode(true);
  private List<String> damaged = new ArrayList<>();

  SimulatedDisk(SplittableRandom random) {
    this.random = random;
  }

  void clear() {
    root = new DiskNode(true);
  }

  /** Returns what is at a path, or null. */
  DiskNode find(SimulatedPath path) {
    DiskNode node = root;
    for (String name : path.names()) {
      node = node == null || !node.isFolder() ? null : node.child(name);
    }
    return node;
  }

  DiskNode get(SimulatedPath path) throws NoSuchFileException {
    DiskNode node = find(path);
    if (node == null) {
      throw new NoSuchFileException(path.toString());
    }
    return node;
  }

  private DiskNode parent(SimulatedPath path) throws NoSuchFileException, NotDirectoryException {
    SimulatedPath parent = path.getParent();
    if (parent == null) {
      throw new NoSuchFileException(path.toString());
    }
    DiskNode folder = get(parent);
    if (!folder.isFolder()) {
      throw new NotDirectoryException(parent.toString());
    }
    return folder;
  }

  DiskNode create(SimulatedPath path, boolean isFolder)
      throws NoSuchFileException, NotDirectoryException, FileAlreadyExistsException {
    DiskNode folder = parent(path);
    if (folder.child(path.name()) != null) {
      throw new FileAlreadyExistsException(path.toString());
    }
    DiskNode node = new DiskNode(isFolder);
    folder.change(DiskNode.Change.of(path.name(), node));
    return node;
  }

  void remove(SimulatedPath path) throws NoSuchFileException, NotDirectoryException {
    get(path);
    parent(path).change(DiskNode.Change.of(path.name(), null));
  }

  /** Gives a file another name in its folder, in place of what has that name. */
  void rename(SimulatedPath from, SimulatedPath to)
      throws NoSuchFileException, NotDirectoryException {
    DiskNode node = get(from);
    DiskNode folder = parent(to);
    if (folder != parent(from)) {
      throw new UnsupportedOperationException("Only renames within a folder are simulated.");
    }
    folder.change(new DiskNode.Change(from.name(), to.name(), node));
  }

  /** Loses what was not synced, all or in part. */
  void crash() {
    root.crash(random);
  }

  /**
   * Turns a bit of a stored version over.
   *
   * @return the folder of that version; null when there is none
   */
  public String rot() {
    List<DiskNode> files = new ArrayList<>();
    List<String> folders = new ArrayList<>();
    collect(root, "", files, folders);
    if (files.isEmpty()) {
      return null;
    }
    int chosen = random.nextInt(files.size());
    files.get(chosen).flip(random);
    damaged.add(folders.get(chosen));
    return folders.get(chosen);
  }

  /** Returns the folders of versions whose bits were turned over. */
  public List<String> rotten() {
    return List.copyOf(damaged);
  }

  private static void collect(
      DiskNode folder, String name, List<DiskNode> files, List<String> folders) {
    for (Map.Entry<String, DiskNode> child : folder.children().entrySet()) {
      if (child.getValue().isFolder()) {
        collect(child.getValue(), child.getKey(), files, folders);
      } else if (name.startsWith("step-") && child.getValue().size() > 0) {
        files.add(child.getValue());
        folders.add(name);
      }
    }
  }
}
