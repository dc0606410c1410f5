package io.deepvm.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Objects;

/**
 * A connected channel as a socket for TLS to run over. TLS reads and writes records of 16 KiB, each
 * with calls of its own; here several records share a call, and the two sides wake each other less
 * often.
 */
final class BatchingSocket extends Socket {

  private static final int BATCH_BYTES = 256 << 10;

  /** For a start: a stranger, who gets no further than the handshake, costs no more. */
  private static final int FIRST_BYTES = 16 << 10;

  private final SocketChannel channel;
  private final InetSocketAddress remote;
  private final InputStream in = new In();
  private final Out out = new Out();
  private Runnable received = () -> {};

  BatchingSocket(SocketChannel channel) throws IOException {
    this.channel = channel;
    remote = (InetSocketAddress) channel.getRemoteAddress();
  }

  /** Sets what runs when the first bytes have come; called before anything is read. */
  void whenReceived(Runnable task) {
    received = task;
  }

  /** Holds written bytes back until {@link #release}, or until a batch is full. */
  void hold() throws IOException {
    out.hold();
  }

  /** Writes what was held back. */
  void release() throws IOException {
    out.release();
  }

  @Override
  public InputStream getInputStream() {
    return in;
  }

  @Override
  public OutputStream getOutputStream() {
    return out;
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public InetAddress getInetAddress() {
    return remote.getAddress();
  }

  @Override
  public int getPort() {
    return remote.getPort();
  }

  @Override
  public SocketAddress getRemoteSocketAddress() {
    return remote;
  }

  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // it must not wait for anything
  public void close() throws IOException {
    channel.close();
  }

  /** Used by the reading thread alone. */
  private final class In extends InputStream {

    private ByteBuffer batch = ByteBuffer.allocateDirect(FIRST_BYTES).limit(0);

    @Override
    public int read() throws IOException {
      return fill() ? batch.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, into.length);
      if (length == 0) {
        return 0;
      }
      if (!fill()) {
        return -1;
      }
      int piece = Math.min(length, batch.remaining());
      batch.get(into, offset, piece);
      return piece;
    }

    @Override
    public int available() {
      return batch.remaining();
    }

    /** Waits for bytes unless there are some; false at the end. */
    private boolean fill() throws IOException {
      if (batch.hasRemaining()) {
        return true;
      }
      if (batch.limit() == FIRST_BYTES) {
        batch = ByteBuffer.allocateDirect(BATCH_BYTES);
      }
      int read = channel.read(batch.clear());
      batch.flip();
      if (read > 0) {
        received.run();
        received = () -> {};
      }
      return read > 0;
    }
  }

  /** The reading thread may write, too, when TLS answers by itself. */
  private final class Out extends OutputStream {

    private ByteBuffer batch = ByteBuffer.allocateDirect(FIRST_BYTES);
    private boolean held;

    synchronized void hold() throws IOException {
      if (batch.capacity() == FIRST_BYTES) {
        drain();
        batch = ByteBuffer.allocateDirect(BATCH_BYTES);
      }
      held = true;
    }

    synchronized void release() throws IOException {
      held = false;
      drain();
    }

    @Override
    public void write(int single) throws IOException {
      write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] from, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, from.length);
      for (int done = 0; done < length; ) {
        if (!batch.hasRemaining()) {
          drain();
        }
        int piece = Math.min(length - done, batch.remaining());
        batch.put(from, offset + done, piece);
        done += piece;
      }
    }

    @Override
    public synchronized void flush() throws IOException {
      if (!held) {
        drain();
      }
    }

    private void drain() throws IOException {
      batch.flip();
      while (batch.hasRemaining()) {
        channel.write(batch);
      }
      batch.clear();
    }
  }
}
