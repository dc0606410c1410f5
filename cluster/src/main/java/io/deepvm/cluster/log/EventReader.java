package io.deepvm.cluster.log;

import io.deepvm.base.BadInput;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads an event log while it grows, line by line; a line counts once it is whole. */
public final class EventReader implements Closeable {

  private static final int MOST_BYTES = 1 << 19;
  private static final int LONGEST_LINE = 1 << 24;

  /**
   * A whole line of the log.
   *
   * @param endOffset where the next line begins, in bytes
   */
  public record Line(long endOffset, String text, Logged logged) {}

  private final Path path;
  private final FileChannel file;
  private final @Nullable Object identity;
  private long offset;
  private int lines;

  private EventReader(Path path, FileChannel file) throws IOException {
    this.path = path;
    this.file = file;
    this.identity = identity(path);
  }

  /** Returns what distinguishes a file from one that later has its name. */
  private static @Nullable Object identity(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  /** Opens the log at its start. */
  public static EventReader open(Path path) throws IOException {
    return new EventReader(path, FileChannel.open(path, StandardOpenOption.READ));
  }

  /** Whether another log has taken the place of this one, or this one was emptied. */
  public boolean begunAnew() throws IOException {
    try {
      return file.size() < offset || !Objects.equals(identity, identity(path));
    } catch (NoSuchFileException e) {
      // The folder is empty until the next run begins.
      return false;
    }
  }

  /** Returns the next whole lines, up to about half a megabyte; none if there are none yet. */
  public List<Line> next() throws IOException {
    byte[] bytes = whole(MOST_BYTES);
    List<Line> next = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        String text = new String(bytes, start, i - start, StandardCharsets.UTF_8);
        lines++;
        start = i + 1;
        if (!text.isEmpty()) {
          next.add(new Line(offset + start, text, EventLog.parse(text, path, lines)));
        }
      }
    }
    offset += bytes.length;
    return next;
  }

  /** Returns the whole lines among the next bytes; reads more where one line is longer. */
  private byte[] whole(int most) throws IOException {
    if (most > LONGEST_LINE) {
      throw new BadInput(
          "Line %d of %s is longer than %d bytes.".formatted(lines + 1, path, LONGEST_LINE),
          "Maybe the file is damaged.");
    }
    ByteBuffer buffer =
        ByteBuffer.allocate((int) Math.min(most, Math.max(0, file.size() - offset)));
    while (buffer.hasRemaining() && file.read(buffer, offset + buffer.position()) >= 0) {
      // reads on
    }
    byte[] bytes = new byte[buffer.position()];
    buffer.flip().get(bytes);
    int whole = (int) EventLog.wholeLines(bytes);
    return whole == 0 && bytes.length == most ? whole(2 * most) : Arrays.copyOf(bytes, whole);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
