package io.deepvm.transport;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/** Asks a SOCKS5 proxy (RFC 1928) that wants no password to connect to an address behind it. */
final class Socks5 {

  private static final int VERSION = 5;
  private static final int NO_PASSWORD = 0;
  private static final int CONNECT = 1;
  private static final int IPV4 = 1;
  private static final int NAME = 3;
  private static final int IPV6 = 4;
  private static final int REFUSED = 5;
  private static final int LONGEST_NAME = 255;

  private final Socket socket;
  private final LongSupplier nanoClock;
  private final long deadline;

  /** Speaks over this connection to the proxy, until the time of the clock is the deadline. */
  Socks5(Socket socket, LongSupplier nanoClock, long deadline) {
    this.socket = socket;
    this.nanoClock = nanoClock;
    this.deadline = deadline;
  }

  /** Returns once every further byte on the connection is the target's. */
  void connect(InetSocketAddress target) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(new byte[] {VERSION, 1, NO_PASSWORD});
    byte[] method = read(2);
    if (method[0] != VERSION || method[1] != NO_PASSWORD) {
      throw new ProtocolException("The proxy is no SOCKS5 proxy, or wants a password.");
    }
    out.write(request(target));
    byte[] reply = read(4);
    if (reply[1] == REFUSED) {
      throw new ConnectException("Connection refused, says the proxy.");
    }
    if (reply[0] != VERSION || reply[1] != 0) {
      throw new ConnectException("The proxy cannot connect: SOCKS5 reply " + reply[1] + ".");
    }
    // The address that the proxy uses, and its port.
    int length =
        switch (reply[3]) {
          case IPV4 -> 4;
          case IPV6 -> 16;
          case NAME -> read(1)[0] & 0xff;
          default -> throw new ProtocolException("The proxy's reply is damaged.");
        };
    byte[] unused = read(length + Short.BYTES);
    socket.setSoTimeout(0);
  }

  private static byte[] request(InetSocketAddress target) throws IOException {
    byte[] host;
    int kind;
    if (target.isUnresolved()) {
      host = target.getHostString().getBytes(StandardCharsets.US_ASCII);
      kind = NAME;
      if (host.length > LONGEST_NAME) {
        throw new IOException("The host name has " + host.length + " bytes; at most 255 are sent.");
      }
    } else {
      InetAddress address = target.getAddress();
      host = address.getAddress();
      kind = host.length == 4 ? IPV4 : IPV6;
    }
    ByteBuffer request = ByteBuffer.allocate(7 + host.length);
    request.put((byte) VERSION).put((byte) CONNECT).put((byte) 0).put((byte) kind);
    if (kind == NAME) {
      request.put((byte) host.length);
    }
    request.put(host).putShort((short) target.getPort());
    byte[] bytes = new byte[request.flip().remaining()];
    request.get(bytes);
    return bytes;
  }

  private byte[] read(int length) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; ) {
      long left = (deadline - nanoClock.getAsLong()) / 1_000_000;
      if (left <= 0) {
        throw new SocketTimeoutException("The proxy does not answer in time.");
      }
      socket.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
      int count = in.read(bytes, i, length - i);
      if (count < 0) {
        throw new EOFException("The proxy closed the connection.");
      }
      i += count;
    }
    return bytes;
  }
}
