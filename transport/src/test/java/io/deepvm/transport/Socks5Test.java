package io.deepvm.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class Socks5Test {

  private static final InetSocketAddress TARGET = InetSocketAddress.createUnresolved("n1", 258);

  /** Asks a proxy that sends these bytes, and returns what the proxy received. */
  private static String ask(InetSocketAddress target, String reply, long nanos) throws IOException {
    try (ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(door.getInetAddress(), door.getLocalPort());
        Socket proxy = door.accept()) {
      proxy.getOutputStream().write(HexFormat.of().parseHex(reply));
      new Socks5(client, System::nanoTime, System.nanoTime() + nanos).connect(target);
      client.shutdownOutput();
      return HexFormat.of().formatHex(proxy.getInputStream().readAllBytes());
    }
  }

  private static String ask(InetSocketAddress target, String reply) throws IOException {
    return ask(target, reply, 10_000_000_000L);
  }

  @Test
  void aNameIsSentForTheProxyToLookUp() throws IOException {
    assertThat(ask(TARGET, "0500" + "05000001" + "7f000001" + "1234"))
        .isEqualTo("050100" + "05010003" + "02" + "6e31" + "0102");
  }

  @Test
  void anAddressIsSentAsNumbersAndAnyKindOfReplyIsRead() throws IOException {
    InetSocketAddress v4 = new InetSocketAddress(InetAddress.getByName("10.0.0.7"), 258);
    assertThat(ask(v4, "0500" + "05000003" + "026e31" + "1234"))
        .isEqualTo("050100" + "05010001" + "0a000007" + "0102");
    InetSocketAddress v6 = new InetSocketAddress(InetAddress.getByName("::2"), 258);
    assertThat(ask(v6, "0500" + "05000004" + "00".repeat(16) + "1234"))
        .isEqualTo("050100" + "05010004" + "00".repeat(15) + "02" + "0102");
  }

  @Test
  void nothingBehindTheReplyIsRead() throws Exception {
    try (ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(door.getInetAddress(), door.getLocalPort());
        Socket proxy = door.accept()) {
      proxy
          .getOutputStream()
          .write(HexFormat.of().parseHex("0500" + "05000001" + "7f000001" + "1234" + "aabb"));
      new Socks5(client, System::nanoTime, System.nanoTime() + 10_000_000_000L).connect(TARGET);
      assertThat(client.getInputStream().readNBytes(2)).containsExactly(0xaa, 0xbb);
      assertThat(client.getSoTimeout()).isZero();
    }
  }

  @Test
  void aRefusalIsThrown() {
    assertThatThrownBy(() -> ask(TARGET, "0500" + "05050001" + "00000000" + "0000"))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("refused");
    assertThatThrownBy(() -> ask(TARGET, "0500" + "05010001" + "00000000" + "0000"))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("SOCKS5 reply 1");
  }

  @Test
  void somethingElseIsNoProxy() {
    assertThatThrownBy(() -> ask(TARGET, "4854")).isInstanceOf(ProtocolException.class);
    assertThatThrownBy(() -> ask(TARGET, "05ff"))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("wants a password");
  }

  @Test
  void aProxyThatDoesNotAnswerIsGivenUp() {
    assertThatThrownBy(() -> ask(TARGET, "05", 20_000_000L))
        .isInstanceOf(SocketTimeoutException.class);
  }
}
