package io.deepvm.checkpoint.s3;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** Stands between client and server, and does to some requests what bad networks do. */
final class FaultyProxy {

  /** What happens to a request. */
  enum Fault {
    NONE,
    /** The server is said to have failed. */
    ERROR_500,
    /** The server is said to be busy. */
    BUSY_503,
    /** The request does not arrive, the connection breaks. */
    LOST_REQUEST,
    /** The request arrives, its answer does not. */
    LOST_ANSWER,
    /** Only half of the answer arrives. */
    HALF_ANSWER
  }

  private final int server;
  private final ServerSocket socket;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<String> passed = new CopyOnWriteArrayList<>();
  private volatile Function<String, Fault> faults = request -> Fault.NONE;

  FaultyProxy(int server) throws IOException {
    this.server = server;
    this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  URI endpoint() {
    return URI.create("http://127.0.0.1:" + socket.getLocalPort());
  }

  /** Sets what happens to a request, by its first line. */
  void faults(Function<String, Fault> rule) {
    faults = rule;
  }

  /** Returns the first lines of the requests that came through. */
  List<String> passed() {
    return passed;
  }

  void stop() throws IOException {
    socket.close();
    threads.shutdownNow();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = socket.accept();
        threads.execute(() -> serve(client));
      }
    } catch (IOException e) {
      // stopped
    }
  }

  private void serve(Socket client) {
    try (client) {
      client.setSoTimeout(20_000);
      InputStream in = new BufferedInputStream(client.getInputStream());
      List<String> head = head(in);
      if (header(head, "expect").equalsIgnoreCase("100-continue")) {
        write(client, "HTTP/1.1 100 Continue\r\n\r\n");
      }
      String length = header(head, "content-length");
      byte[] body = in.readNBytes(length.isEmpty() ? 0 : Integer.parseInt(length));
      answer(client, head, body, faults.apply(head.get(0)));
    } catch (IOException e) {
      // the client sees the connection end
    }
  }

  private void answer(Socket client, List<String> head, byte[] body, Fault fault)
      throws IOException {
    switch (fault) {
      case LOST_REQUEST -> {}
      case ERROR_500 -> write(client, error("500 Internal Server Error", "InternalError"));
      case BUSY_503 -> write(client, error("503 Service Unavailable", "SlowDown"));
      case NONE, LOST_ANSWER, HALF_ANSWER -> {
        byte[] answer = forward(head, body);
        passed.add(head.get(0));
        int length =
            switch (fault) {
              case LOST_ANSWER -> 0;
              case HALF_ANSWER -> answer.length / 2;
              default -> answer.length;
            };
        client.getOutputStream().write(answer, 0, length);
      }
    }
  }

  private byte[] forward(List<String> head, byte[] body) throws IOException {
    try (Socket upstream = new Socket(InetAddress.getLoopbackAddress(), server)) {
      upstream.setSoTimeout(20_000);
      StringBuilder text = new StringBuilder();
      for (String line : head) {
        String lower = line.toLowerCase(Locale.ROOT);
        if (!lower.startsWith("connection:") && !lower.startsWith("expect:")) {
          text.append(line).append("\r\n");
        }
      }
      OutputStream out = upstream.getOutputStream();
      out.write((text + "Connection: close\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
      out.write(body);
      out.flush();
      return upstream.getInputStream().readAllBytes();
    }
  }

  private static void write(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    client.getOutputStream().flush();
  }

  private static String error(String status, String code) {
    String xml = "<Error><Code>%s</Code><Message>by the test</Message></Error>".formatted(code);
    return "HTTP/1.1 %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
        .formatted(status, xml.length(), xml);
  }

  private static List<String> head(InputStream in) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    String end = "\r\n\r\n";
    for (int matched = 0; matched < end.length(); ) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException();
      }
      bytes.write(next);
      matched = next == end.charAt(matched) ? matched + 1 : next == '\r' ? 1 : 0;
    }
    return bytes.toString(StandardCharsets.ISO_8859_1).strip().lines().toList();
  }

  private static String header(List<String> head, String name) {
    return head.stream()
        .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse("");
  }
}
