package io.deepvm.checkpoint.agent;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Where an agent puts the files it shares with clients: in memory where there is room, else on
 * disk. A file has a name only until the client has opened it; what an agent that died has left is
 * removed by the next one on the same socket.
 */
final class SharedFolder implements Closeable {

  private static final long SPARE = 16 << 20;

  private final List<Path> folders = new ArrayList<>();
  private final AtomicLong count = new AtomicLong();

  /** Removes what an earlier agent has left in a root. */
  SharedFolder(List<Path> roots, Path socket) throws IOException {
    String name =
        "deepvm-" + UUID.nameUUIDFromBytes(socket.toString().getBytes(StandardCharsets.UTF_8));
    for (Path root : roots) {
      if (Files.isDirectory(root) && Files.isWritable(root)) {
        folders.add(root.resolve(name));
      }
    }
    clear();
  }

  /** Returns the name of a new file where this many bytes fit. */
  Path place(String what, long bytes) throws IOException {
    return OwnFolder.at(withRoomFor(bytes)).resolve(what + "-" + count.incrementAndGet());
  }

  /** Returns the first folder where this many bytes fit; there must be one. */
  Path withRoomFor(long bytes) throws IOException {
    for (Path folder : folders) {
      Path root = folder.resolveSibling(".");
      if (Files.getFileStore(root).getUsableSpace() - SPARE >= bytes) {
        return folder;
      }
    }
    throw new BadInput(
        "There is no room for %s of shared memory in %s.".formatted(new DataSize(bytes), folders),
        "Maybe give the agent less --memory, or the container a larger /dev/shm.");
  }

  private void clear() throws IOException {
    for (Path folder : folders) {
      if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
        continue;
      }
      OwnFolder.at(folder);
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
        for (Path file : files) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    clear();
    for (Path folder : folders) {
      Files.deleteIfExists(folder);
    }
  }
}
