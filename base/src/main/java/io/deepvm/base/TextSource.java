package io.deepvm.base;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.FileNotFoundException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/**
 * A text from a file or from within the program, unpacked when it is gzipped.
 *
 * @param label its name in error messages
 * @param stem its name without folder and endings
 * @param mostBytes a text that unpacks to more is refused
 */
public record TextSource(String label, String stem, Content content, long mostBytes) {

  private static final int OPENING = 16 << 10;
  private static final int BUFFER = 1 << 16;
  private static final long USUAL_MOST_BYTES = 1L << 30;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  /** Opens the raw bytes. */
  @FunctionalInterface
  public interface Content {
    InputStream open() throws IOException;
  }

  /** Makes a source with the usual limit of 1 GiB. */
  public TextSource(String label, String stem, Content content) {
    this(label, stem, content, USUAL_MOST_BYTES);
  }

  /** Returns the text of a file. */
  public static TextSource of(Path file) {
    String name = file.toAbsolutePath().normalize().getFileName().toString();
    return new TextSource(file.toString(), stem(name), () -> Files.newInputStream(file));
  }

  /** Returns the text of a resource beside a class. */
  public static TextSource builtIn(String name, Class<?> beside, String resource) {
    return new TextSource(
        name,
        name,
        () -> {
          InputStream found = beside.getResourceAsStream(resource);
          if (found == null) {
            throw new FileNotFoundException(resource);
          }
          return found;
        });
  }

  /** Returns the same source with another limit. */
  public TextSource bounded(long most) {
    return new TextSource(label, stem, content, most);
  }

  /** Opens the text: UTF-8, unpacked, without a byte order mark. */
  @SuppressWarnings("StreamResourceLeak") // the reader that is returned owns the stream
  public Reader open() throws IOException {
    InputStream raw = new BufferedInputStream(content.open(), BUFFER);
    try {
      raw.mark(2);
      boolean gzipped = raw.read() == 0x1f && raw.read() == 0x8b;
      raw.reset();
      InputStream bytes = new Bounded(gzipped ? new GZIPInputStream(raw, BUFFER) : raw);
      Reader text =
          new BufferedReader(
              new InputStreamReader(
                  bytes,
                  StandardCharsets.UTF_8
                      .newDecoder()
                      .onMalformedInput(CodingErrorAction.REPORT)
                      .onUnmappableCharacter(CodingErrorAction.REPORT)),
              BUFFER);
      text.mark(1);
      if (text.read() != BYTE_ORDER_MARK) {
        text.reset();
      }
      return text;
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  /** Returns the first few thousand characters. */
  public String opening() {
    try (Reader text = open()) {
      char[] opening = new char[OPENING];
      int length = 0;
      int more;
      while (length < OPENING && (more = text.read(opening, length, OPENING - length)) > 0) {
        length += more;
      }
      return new String(opening, 0, length);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Returns the error for a file that cannot be read to its end. */
  public BadInput unreadable(Exception failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause instanceof CharacterCodingException
        ? new BadInput(
            "%s is not UTF-8 text.".formatted(label), "Maybe it is another kind of file.")
        : new BadInput(
            "%s cannot be read: %s.".formatted(label, cause),
            "Maybe it is damaged, or you may not read it.");
  }

  private static String stem(String fileName) {
    String stem = fileName;
    for (String ending : new String[] {".gz", ".csv", ".json"}) {
      if (stem.endsWith(ending) && stem.length() > ending.length()) {
        stem = stem.substring(0, stem.length() - ending.length());
      }
    }
    return stem;
  }

  /** Refuses a text above the limit, so that a small packed file cannot fill the memory. */
  private final class Bounded extends FilterInputStream {

    private long left = mostBytes;

    Bounded(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      return counted(super.read(), 1);
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = super.read(bytes, from, length);
      return counted(count, count);
    }

    private int counted(int result, int bytes) {
      left -= result < 0 ? 0 : bytes;
      if (left < 0) {
        throw new BadInput(
            "%s holds more than %,d MiB of text.".formatted(label, mostBytes >> 20),
            "Maybe split it, or it is not what it seems.");
      }
      return result;
    }
  }
}
