package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.format.CorruptCheckpoint;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;

/** An answer, or the kind of failure, so that the worker throws what the anchor's tier threw. */
record Answer(Kind kind, long number, String message) {

  enum Kind {
    DONE,
    STALE,
    EXISTS,
    MISSING,
    CORRUPT,
    FAILED
  }

  private static final int MOST_MESSAGE = 2_000;

  static Answer done(long number) {
    return new Answer(Kind.DONE, number, "");
  }

  /** Returns the answer for a failure; the number is the newest generation. */
  static Answer failed(IOException problem, long newest) {
    String text = String.valueOf(problem.getMessage());
    String message = text.length() > MOST_MESSAGE ? text.substring(0, MOST_MESSAGE) : text;
    return new Answer(kind(problem), newest, message);
  }

  private static Kind kind(IOException problem) {
    if (problem instanceof StaleGeneration) {
      return Kind.STALE;
    } else if (problem instanceof FileAlreadyExistsException) {
      return Kind.EXISTS;
    } else if (problem instanceof NoSuchFileException) {
      return Kind.MISSING;
    }
    return problem instanceof CorruptCheckpoint ? Kind.CORRUPT : Kind.FAILED;
  }

  /** Returns the number, or throws what went wrong at the anchor. */
  long orThrow(Version version, String anchor) throws IOException {
    switch (kind) {
      case DONE -> {
        return number;
      }
      case STALE -> throw new StaleGeneration(version.job(), version.generation(), number);
      case EXISTS -> throw new FileAlreadyExistsException(version.toString(), null, message);
      case MISSING -> throw new NoSuchFileException(version.toString(), null, message);
      case CORRUPT -> throw new CorruptCheckpoint(anchor + ": " + message);
      case FAILED -> throw new IOException(anchor + ": " + message);
    }
    throw new IllegalStateException("No such kind.");
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeUTF(kind.name());
      out.writeLong(number);
      out.writeUTF(message);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  static Answer decode(byte[] encoded) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
      return new Answer(Kind.valueOf(in.readUTF()), in.readLong(), in.readUTF());
    } catch (IllegalArgumentException e) {
      throw new IOException("The answer is of an unknown kind.", e);
    }
  }
}
