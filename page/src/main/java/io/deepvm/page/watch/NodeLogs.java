package io.deepvm.page.watch;

import io.deepvm.cluster.RunFolder;
import io.deepvm.page.PageSite;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The ends of what a node's agent and processes wrote. */
final class NodeLogs {

  private static final int TAIL_BYTES = 8 << 10;
  private static final int MOST_FILES = 32;
  private static final String ENDING = ".log";

  /**
   * The end of one log.
   *
   * @param bytes how long the whole log is
   */
  record Tail(String name, long bytes, String text) {}

  private NodeLogs() {}

  /** Returns the ends of a node's logs, by name. Links are not followed. */
  static List<Tail> of(RunFolder run, String node) throws IOException {
    if (!node.matches("[A-Za-z0-9][A-Za-z0-9._-]*")) {
      throw new PageSite.NoSuchPage("node '%s'".formatted(node));
    }
    Path folder = run.node(node);
    List<Tail> tails = new ArrayList<>();
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return tails;
    }
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().limit(MOST_FILES).toList()) {
        if (file.toString().endsWith(ENDING)
            && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
          tails.add(tail(file));
        }
      }
    }
    return tails;
  }

  private static Tail tail(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      long size = channel.size();
      long from = Math.max(0, size - TAIL_BYTES);
      ByteBuffer buffer = ByteBuffer.allocate((int) (size - from));
      while (buffer.hasRemaining() && channel.read(buffer, from + buffer.position()) >= 0) {
        // reads on
      }
      String text = new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
      // The first line of a tail is seldom whole.
      int firstLine = from == 0 ? 0 : text.indexOf('\n') + 1;
      return new Tail(String.valueOf(file.getFileName()), size, text.substring(firstLine));
    }
  }
}
