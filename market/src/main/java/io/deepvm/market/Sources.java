package io.deepvm.market;

import io.deepvm.base.BadInput;
import io.deepvm.catalog.CatalogSource;
import java.io.BufferedInputStream;
import java.io.FileNotFoundException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Opens trace files: unpacked, and no more than fits in memory. */
final class Sources {

  private static final int OPENING = 16 << 10;
  private static final int BUFFER = 1 << 16;
  private static final long MOST_BYTES = 1L << 30;

  private Sources() {}

  static CatalogSource of(Path file) {
    return bounded(file, MOST_BYTES);
  }

  static CatalogSource bounded(Path file, long most) {
    CatalogSource plain = CatalogSource.of(file);
    return bounded(plain.label(), plain.stem(), plain.content(), most);
  }

  static CatalogSource builtIn(String name, String resource) {
    return bounded(
        name,
        name,
        () -> {
          InputStream found = Sources.class.getResourceAsStream(resource);
          if (found == null) {
            throw new FileNotFoundException(resource);
          }
          return found;
        },
        MOST_BYTES);
  }

  private static CatalogSource bounded(
      String label, String stem, CatalogSource.Content content, long most) {
    return new CatalogSource(label, stem, () -> new Bounded(unpacked(content.open()), label, most));
  }

  @SuppressWarnings("StreamResourceLeak") // the stream that is returned owns the other
  private static InputStream unpacked(InputStream bytes) throws IOException {
    InputStream raw = new BufferedInputStream(bytes, BUFFER);
    try {
      raw.mark(2);
      boolean gzipped = raw.read() == 0x1f && raw.read() == 0x8b;
      raw.reset();
      return gzipped ? new GZIPInputStream(raw, BUFFER) : raw;
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  /** Returns the first few thousand characters. */
  static String opening(CatalogSource source) {
    try (Reader text = source.open()) {
      char[] opening = new char[OPENING];
      int length = 0;
      int more;
      while (length < OPENING && (more = text.read(opening, length, OPENING - length)) > 0) {
        length += more;
      }
      return new String(opening, 0, length);
    } catch (IOException e) {
      throw source.unreadable(e);
    }
  }

  static Path existing(String text) {
    Path path = Path.of(text);
    if (!Files.exists(path)) {
      throw new BadInput(
          "There is no file '%s'.".formatted(text), "Maybe it is in another folder.");
    }
    return path;
  }

  /** Refuses a file that unpacks to more than anyone records. */
  private static final class Bounded extends FilterInputStream {

    private final String label;
    private final long most;
    private long left;

    Bounded(InputStream in, String label, long most) {
      super(in);
      this.label = label;
      this.most = most;
      left = most;
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
            "%s holds more than %,d MiB of text.".formatted(label, most >> 20),
            "Maybe split it, or it is not what it seems.");
      }
      return result;
    }
  }
}
