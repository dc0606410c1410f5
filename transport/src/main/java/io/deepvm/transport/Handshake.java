package io.deepvm.transport;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Two sides prove to each other that they know the same secret. Each sends its role and a fresh
 * nonce. The proof is an HMAC over the prover's side, the binding of the wire and both greetings.
 * The side that connected proves first, so that a stranger who connects learns nothing.
 */
final class Handshake {

  static final int BINDING_BYTES = 32;

  private static final byte[] MAGIC = "DeepVM transport 3\n".getBytes(StandardCharsets.US_ASCII);
  private static final int NONCE_BYTES = 32;
  private static final int GREETING_BYTES = MAGIC.length + 2 + NONCE_BYTES;
  private static final int PROOF_BYTES = 32;
  private static final byte[] CLIENT = "client".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SERVER = "server".getBytes(StandardCharsets.US_ASCII);

  private final TransportWire wire;
  private final Security security;
  private final @Nullable Secrets secrets;
  private final byte[] ours = new byte[GREETING_BYTES];

  Handshake(TransportWire wire, Security security) {
    this.wire = wire;
    this.security = security;
    secrets = security.secrets();
    byte[] nonce = new byte[NONCE_BYTES];
    new SecureRandom().nextBytes(nonce);
    ByteBuffer.wrap(ours)
        .put(MAGIC)
        .put((byte) (secrets == null ? 0 : 1))
        .put(security.own().number())
        .put(nonce);
  }

  /** Runs the side that connected and returns the role that the other side has proven. */
  @Nullable Role connect() throws IOException {
    wire.write(ByteBuffer.wrap(ours));
    byte[] theirs = greeting();
    if (secrets == null) {
      return null;
    }
    Role role = role(theirs);
    if (role != security.other()) {
      throw new ProtocolException(
          "The other side is of the role " + role + ", not " + security.other() + ".");
    }
    List<Token> known = secrets.between(security.own(), role);
    if (known.isEmpty()) {
      throw new ProtocolException(
          "There is no secret here from " + security.own() + " to " + role + ".");
    }
    Token token = known.get(0);
    byte[] binding = wire.binding();
    wire.write(ByteBuffer.wrap(token.prove(CLIENT, binding, ours, theirs)));
    if (!isProof(token.prove(SERVER, binding, ours, theirs), read(PROOF_BYTES))) {
      throw strange();
    }
    return role;
  }

  /**
   * Runs the side that was connected to and returns the role that the other side has proven.
   *
   * @param greeted runs when the other side has greeted
   * @param room whether there is room for the connection, asked once the other side is proven
   */
  @Nullable Role accept(Runnable greeted, BooleanSupplier room) throws IOException {
    byte[] theirs = greeting();
    greeted.run();
    if (secrets == null) {
      requireRoom(room);
      wire.write(ByteBuffer.wrap(ours));
      return null;
    }
    wire.write(ByteBuffer.wrap(ours));
    Role role = role(theirs);
    byte[] binding = wire.binding();
    byte[] proof = read(PROOF_BYTES);
    for (Token token : secrets.between(role, security.own())) {
      if (isProof(token.prove(CLIENT, binding, theirs, ours), proof)) {
        requireRoom(room);
        wire.write(ByteBuffer.wrap(token.prove(SERVER, binding, theirs, ours)));
        return role;
      }
    }
    throw strange();
  }

  private static void requireRoom(BooleanSupplier room) throws ProtocolException {
    if (!room.getAsBoolean()) {
      throw new ProtocolException("All connections are taken.");
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

  private static Role role(byte[] greeting) throws ProtocolException {
    return Role.of(greeting[MAGIC.length + 1]);
  }

  private static boolean isProof(byte[] expected, byte[] proof) {
    return MessageDigest.isEqual(expected, proof);
  }

  private static ProtocolException strange() {
    return new ProtocolException(
        "The other side knows another token, or somebody between the two sides changes the bytes.");
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
