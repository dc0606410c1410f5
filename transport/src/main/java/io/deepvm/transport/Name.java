package io.deepvm.transport;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** A short sequence of bytes that names something; only the receiver's handler gives it meaning. */
public final class Name {

  /** The name of no bytes. */
  public static final Name NONE = new Name(new byte[0]);

  private final byte[] bytes;

  private Name(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns the name of this text in UTF-8. */
  public static Name of(String text) {
    return new Name(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the name of a copy of these bytes. */
  public static Name of(byte[] bytes) {
    return new Name(bytes.clone());
  }

  /** Returns a copy of the bytes. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Returns how many bytes it has. */
  public int length() {
    return bytes.length;
  }

  /** Returns the text when these bytes are UTF-8, otherwise their hexadecimal digits. */
  public String text() {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(java.nio.ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return HexFormat.of().formatHex(bytes);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Name name && Arrays.equals(bytes, name.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return text();
  }
}
