package io.deepvm.places.ssh;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Says which host each node of a run was given. An entry is on disk before the host receives the
 * node, so a coordinator finds every node of an earlier one.
 */
final class HostLedger {

  /** In place of a host: the node ended before it was given one. */
  static final String NOBODY = "-";

  private final Path folder;

  HostLedger(Path folder) {
    this.folder = folder.resolve("nodes");
  }

  /** Returns the host of the node; null if it was given none. */
  @Nullable String host(String node) throws IOException {
    try {
      return Files.readString(file(node)).strip();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** Gives the node the host unless it has one, and returns the host that it has. */
  String give(String node, String host) throws IOException {
    Path home = PrivateFiles.folder(folder.resolve(node));
    Path mine = Files.createTempFile(home, "host.", "");
    try {
      Files.writeString(mine, host + "\n");
      try (FileChannel channel = FileChannel.open(mine, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.createLink(file(node), mine);
      try (FileChannel channel = FileChannel.open(home, StandardOpenOption.READ)) {
        channel.force(true);
      }
      return host;
    } catch (FileAlreadyExistsException e) {
      String other = host(node);
      return other == null ? give(node, host) : other;
    } finally {
      Files.deleteIfExists(mine);
    }
  }

  /** Takes the host from a node that certainly is not there. */
  void takeBack(String node) throws IOException {
    Files.deleteIfExists(file(node));
  }

  private Path file(String node) {
    return folder.resolve(node).resolve("host");
  }
}
