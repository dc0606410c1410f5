package io.deepvm.transport;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** TCP as it is: the kernel copies from and into the caller's buffers. */
final class PlainWire implements TransportWire {

  private final SocketChannel channel;

  PlainWire(SocketChannel channel) {
    this.channel = channel;
  }

  @Override
  public void handshake(Runnable received) {}

  @Override
  public byte[] binding() {
    return new byte[Handshake.BINDING_BYTES];
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    return channel.read(into);
  }

  @Override
  public void write(ByteBuffer... from) throws IOException {
    ByteBuffer last = from[from.length - 1];
    do {
      channel.write(from);
    } while (last.hasRemaining());
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // It is gone either way.
    }
  }
}
