package io.deepvm.base;

import java.net.InetSocketAddress;

/** A host and a port, written HOST:PORT; an IPv6 host stands in brackets. */
public record HostPort(String host, int port) {

  private static final int MOST = 0xffff;

  /** Reads HOST:PORT; port 0 stands for any free one. */
  public static HostPort parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 1 ? "" : text.substring(0, colon).replaceAll("^\\[|]$", "");
    try {
      int port = Integer.parseInt(text.substring(colon + 1));
      if (!host.isEmpty() && port >= 0 && port <= MOST) {
        return new HostPort(host, port);
      }
    } catch (NumberFormatException e) {
      // Refused below, as a port that is too large.
    }
    throw new BadInput(
        "'%s' is not an address.".formatted(text), "Maybe write it like 127.0.0.1:7070.");
  }

  /** Returns the address, with the host looked up. */
  public InetSocketAddress resolved() {
    return new InetSocketAddress(host, port);
  }
}
