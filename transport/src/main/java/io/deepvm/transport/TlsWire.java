package io.deepvm.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** TLS 1.3 over TCP; the bytes pass through the heap once. */
final class TlsWire implements TransportWire {

  private static final int COPY_BYTES = 64 << 10;
  private static final int RECORD_BYTES = 16 << 10;

  /** The fastest first. */
  private static final String[] CIPHERS = {
    "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"
  };

  private final BatchingSocket below;
  private final SSLSocket socket;
  private final InputStream in;
  private final OutputStream out;
  private final byte[] readCopy = new byte[COPY_BYTES];
  private final byte[] writeCopy = new byte[COPY_BYTES];

  private final byte @Nullable [] ownFingerprint;

  private TlsWire(SocketChannel channel, TlsKeys keys, byte @Nullable [] ownFingerprint)
      throws IOException {
    this.ownFingerprint = ownFingerprint;
    below = new BatchingSocket(channel);
    InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
    socket =
        (SSLSocket)
            keys.context()
                .getSocketFactory()
                .createSocket(below, remote.getHostString(), remote.getPort(), true);
    socket.setEnabledProtocols(new String[] {"TLSv1.3"});
    socket.setEnabledCipherSuites(CIPHERS);
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  /** Returns the wire of the side that connected. */
  static TlsWire client(SocketChannel channel, TlsKeys keys) throws IOException {
    TlsWire wire = new TlsWire(channel, keys, null);
    wire.socket.setUseClientMode(true);
    return wire;
  }

  /** Returns the wire of the side that was connected to. */
  static TlsWire server(SocketChannel channel, TlsKeys keys, boolean needsCertificate)
      throws IOException {
    TlsWire wire = new TlsWire(channel, keys, keys.fingerprint());
    wire.socket.setUseClientMode(false);
    wire.socket.setNeedClientAuth(needsCertificate);
    return wire;
  }

  @Override
  public void handshake(Runnable received) throws IOException {
    below.whenReceived(received);
    socket.startHandshake();
  }

  @Override
  public byte[] binding() throws IOException {
    return ownFingerprint == null
        ? Certified.fingerprint(socket.getSession().getPeerCertificates()[0])
        : ownFingerprint.clone();
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int read = in.read(readCopy, 0, Math.min(into.remaining(), COPY_BYTES));
    if (read > 0) {
      into.put(readCopy, 0, read);
    }
    return read;
  }

  @Override
  public void write(ByteBuffer... from) throws IOException {
    int bytes = 0;
    for (ByteBuffer buffer : from) {
      bytes += buffer.remaining();
    }
    if (bytes <= RECORD_BYTES) {
      copy(from);
      return;
    }
    below.hold();
    try {
      copy(from);
    } finally {
      below.release();
    }
  }

  private void copy(ByteBuffer... from) throws IOException {
    int filled = 0;
    for (ByteBuffer buffer : from) {
      while (buffer.hasRemaining()) {
        int piece = Math.min(buffer.remaining(), COPY_BYTES - filled);
        buffer.get(writeCopy, filled, piece);
        filled += piece;
        if (filled == COPY_BYTES) {
          out.write(writeCopy, 0, filled);
          filled = 0;
        }
      }
    }
    out.write(writeCopy, 0, filled);
  }

  @Override
  public void close() {
    try {
      // Not the socket itself: its close waits for a writer that may be stuck.
      below.close();
    } catch (IOException e) {
      // It is gone either way.
    }
  }
}
