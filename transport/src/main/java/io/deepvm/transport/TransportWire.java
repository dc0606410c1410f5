package io.deepvm.transport;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A connected pair of byte streams: one thread reads, one writes, any may close. */
interface TransportWire {

  /**
   * Agrees on keys, if the wire has any; called once, before anything else.
   *
   * @param received runs when the other side's first bytes for that have come
   */
  void handshake(Runnable received) throws IOException;

  /**
   * Returns what both sides of this wire know and an attacker between them cannot bring about: the
   * fingerprint of the server's certificate. Without TLS it is all zeros.
   */
  byte[] binding() throws IOException;

  /** Reads some bytes, at least one; -1 at the end. */
  int read(ByteBuffer into) throws IOException;

  /** Writes all remaining bytes of all buffers. */
  void write(ByteBuffer... from) throws IOException;

  /** Closes at once; who is reading or writing fails. */
  void close();
}
