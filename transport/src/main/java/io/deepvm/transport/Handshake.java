package io.deepvm.transport;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Two sides prove to each other that they know the same token. Each sends a fresh nonce; the proof
 * is an HMAC over the prover's role and both greetings. The side that connected proves first, so
 * that a stranger who connects learns nothing.
 */
final class Handshake {

  private static final byte[] MAGIC = "DeepVM transport 2\n".getBytes(StandardCharsets.US_ASCII);
  private static final int NONCE_BYTES = 32;
  private static final int GREETING_BYTES = MAGIC.length + 1 + NONCE_BYTES;
  private static final int PROOF_BYTES = 32;
  private static final byte[] CLIENT = "client".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SERVER = "server".getBytes(StandardCharsets.US_ASCII);

  private final Wire wire;
  private final @Nullable Token token;
  private final byte[] ours = new byte[GREETING_BYTES];

  Handshake(Wire wire, @Nullable Token token) {
    this.wire = wire;
    this.token = token;
    byte[] nonce = new byte[NONCE_BYTES];
    new SecureRandom().nextBytes(nonce);
    ByteBuffer.wrap(ours).put(MAGIC).put((byte) (token == null ? 0 : 1)).put(nonce);
  }

  /** Runs the side that connected. */
  void connect() throws IOException {
    wire.write(ByteBuffer.wrap(ours));
    byte[] theirs = greeting();
    if (token != null) {
      wire.write(ByteBuffer.wrap(token.prove(CLIENT, ours, theirs)));
      check(token.prove(SERVER, ours, theirs));
    }
  }

  /** Runs the side that was connected to. */
  void accept() throws IOException {
    byte[] theirs = greeting();
    wire.write(ByteBuffer.wrap(ours));
    if (token != null) {
      check(token.prove(CLIENT, theirs, ours));
      wire.write(ByteBuffer.wrap(token.prove(SERVER, theirs, ours)));
    }
  }

  private byte[] greeting() throws IOException {
    byte[] theirs = read(GREETING_BYTES);
    for (int i = 0; i < MAGIC.length; i++) {
      if (theirs[i] != MAGIC[i]) {
        throw new ProtocolException("The other side does not speak this version of the transport.");
      }
    }
    if (theirs[MAGIC.length] != ours[MAGIC.length]) {
      throw new ProtocolException("One side has a token and the other has none.");
    }
    return theirs;
  }

  private void check(byte[] expected) throws IOException {
    if (!MessageDigest.isEqual(expected, read(PROOF_BYTES))) {
      throw new ProtocolException("The other side knows another token.");
    }
  }

  private byte[] read(int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (wire.read(bytes) < 0) {
        throw new EOFException(
            "The other side closed during the handshake: its token or TLS may differ, or it is full.");
      }
    }
    return bytes.array();
  }
}
