package io.deepvm.checkpoint.anchor;

import io.deepvm.base.BadInput;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.transport.Name;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * One question, flat: what a verb does not need is zero or empty.
 *
 * @param handle the writer or reader of this connection that it is about
 * @param number a position or a worker
 * @param bytes a length
 * @param text the name of a shard or tier
 * @param reason a sentence
 */
record Question(
    Verb verb,
    Level level,
    long handle,
    Version version,
    long number,
    long bytes,
    String text,
    String reason) {

  private static final int MOST_REASON = 1_000;

  Question {
    reason = reason.length() > MOST_REASON ? reason.substring(0, MOST_REASON) : reason;
  }

  static Question about(Verb verb, Level level, long handle, Version version) {
    return new Question(verb, level, handle, version, 0, 0, "", "");
  }

  Question withText(String newText) {
    return new Question(verb, level, handle, version, number, bytes, newText, reason);
  }

  Question withNumber(long newNumber) {
    return new Question(verb, level, handle, version, newNumber, bytes, text, reason);
  }

  Question withBytes(long newBytes) {
    return new Question(verb, level, handle, version, number, newBytes, text, reason);
  }

  Question withReason(String newReason) {
    return new Question(verb, level, handle, version, number, bytes, text, newReason);
  }

  Name name() {
    return Name.of(encode());
  }

  byte[] encode() {
    ByteArrayOutputStream bytesOut = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytesOut)) {
      out.writeUTF(verb.name());
      out.writeUTF(level.name());
      out.writeLong(handle);
      out.writeUTF(version.job());
      out.writeLong(version.generation());
      out.writeLong(version.step());
      out.writeLong(number);
      out.writeLong(bytes);
      out.writeUTF(text);
      out.writeUTF(reason);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytesOut.toByteArray();
  }

  /** Reads a question, trusting nothing in it. */
  static Question decode(byte[] encoded) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
      Verb verb = constant(Verb.values(), in.readUTF());
      Level level = constant(Level.values(), in.readUTF());
      long handle = in.readLong();
      Version version = new Version(in.readUTF(), in.readLong(), in.readLong());
      long number = in.readLong();
      long length = in.readLong();
      if (number < 0 || length < 0) {
        throw new BadInput("A number is negative.", "Maybe the two sides differ in release.");
      }
      return new Question(verb, level, handle, version, number, length, in.readUTF(), in.readUTF());
    } catch (IOException e) {
      throw new BadInput(
          "A question of %d bytes cannot be read.".formatted(encoded.length),
          "Maybe the two sides differ in release.");
    }
  }

  private static <E extends Enum<E>> E constant(E[] all, String name) {
    for (E constant : all) {
      if (constant.name().equals(name)) {
        return constant;
      }
    }
    throw new BadInput("A question is not known here.", "Maybe the two sides differ in release.");
  }
}
