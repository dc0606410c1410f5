package io.deepvm.cluster.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A connection that carries JSON lines between two who have proved that they know the same token.
 * The side that connected proves first, so that a stranger who connects learns nothing.
 */
final class Line implements AutoCloseable {

  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  /** Longer lines come from nobody we know. */
  private static final int MOST_BYTES = 1 << 20;

  private static final int HANDSHAKE_MS = 5_000;
  private static final int NONCE_BYTES = 32;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private Line(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
    socket.setTcpNoDelay(true);
  }

  /** Proves to each other over a new connection, as the side that connected or the other. */
  static Line open(Socket socket, String token, boolean connected) throws IOException {
    socket.setSoTimeout(HANDSHAKE_MS);
    Line line = new Line(socket);
    byte[] random = new byte[NONCE_BYTES];
    new SecureRandom().nextBytes(random);
    String ours = HexFormat.of().formatHex(random);
    line.print(ours);
    String theirs = line.text();
    String client = connected ? ours + theirs : theirs + ours;
    if (connected) {
      line.print(proof(token, "client" + client));
      line.check(proof(token, "server" + client));
    } else {
      line.check(proof(token, "client" + client));
      line.print(proof(token, "server" + client));
    }
    socket.setSoTimeout(0);
    return line;
  }

  void send(Object message) throws IOException {
    print(JSON.writeValueAsString(message));
  }

  <T> T receive(Class<T> type) throws IOException {
    try {
      return JSON.readValue(text(), type);
    } catch (JsonProcessingException e) {
      throw new ProtocolException(e.getOriginalMessage());
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // There is nothing left to be done with it.
    }
  }

  private synchronized void print(String text) throws IOException {
    out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private String text() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("The other side is gone.");
      }
      if (bytes.size() == MOST_BYTES) {
        throw new ProtocolException("A line is longer than " + MOST_BYTES + " bytes.");
      }
      bytes.write(b);
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private void check(String expected) throws IOException {
    byte[] given = text().getBytes(StandardCharsets.UTF_8);
    if (!MessageDigest.isEqual(given, expected.getBytes(StandardCharsets.UTF_8))) {
      throw new ProtocolException("The other side does not know the token.");
    }
  }

  private static String proof(String token, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(token.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has HmacSHA256.", e);
    }
  }
}
