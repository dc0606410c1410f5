package io.deepvm.bench.chaos;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Stands between an uploader and the object store, and does to requests what bad stores do. */
final class Gate implements AutoCloseable {

  /** What happens to a request. */
  enum Fault {
    NONE,
    /** The store says that it has failed. */
    ERROR,
    /** The store says that it is busy. */
    BUSY,
    /** The connection breaks before the request has come. */
    LOST_REQUEST,
    /** The connection breaks in the middle of the request. */
    HALF_REQUEST,
    /** The connection breaks before the answer. */
    LOST_ANSWER,
    /** The answer is cut off in the middle. */
    HALF_ANSWER
  }

  /**
   * A step of an upload.
   *
   * @param arrived whether the store has done what was asked, only nobody knows yet
   */
  record Step(String method, String object, boolean arrived) {

    boolean isMetBy(String request) {
      return request.startsWith(method + " ")
          && request.split(" ", 3)[1].split("\\?", 2)[0].contains("/" + object);
    }
  }

  /** Keeps the first request of a kind waiting, at whichever gate it comes. */
  static final class Hold {

    private final Step step;
    private final CountDownLatch over = new CountDownLatch(1);
    private int gate = NONE;
    private boolean here;

    Hold(Step step) {
      this.step = step;
    }

    /** Returns whether it is this request that waits. */
    private synchronized boolean isMetBy(String request, int number) {
      if (gate != NONE || !step.isMetBy(request)) {
        return false;
      }
      gate = number;
      return true;
    }

    private synchronized void arrive() {
      here = true;
      notifyAll();
    }

    /** Returns the number of the gate where a request waits; negative when none has come. */
    synchronized int await(int seconds) throws InterruptedException {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      while (!here) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          return NONE;
        }
        wait(left);
      }
      return gate;
    }
  }

  private static final int NONE = -1;
  private static final int PATIENCE_MILLIS = 20_000;

  /** As far away is a store that is near. */
  private static final int DISTANCE_MILLIS = 10;

  private final int server;
  private final ServerSocket socket;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "gate");
            thread.setDaemon(true);
            return thread;
          });
  private volatile Supplier<Fault> faults = () -> Fault.NONE;
  private volatile int number;
  private volatile @Nullable Hold hold;

  Gate(int server) throws IOException {
    this.server = server;
    this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    threads.execute(this::acceptAll);
  }

  int port() {
    return socket.getLocalPort();
  }

  /** Says from now on what happens to each request. */
  void faults(Supplier<Fault> rule) {
    faults = rule;
  }

  /** Keeps a request waiting if it is the first; this gate has a number among those asked. */
  void stopAt(Hold next, int ownNumber) {
    number = ownNumber;
    hold = next;
  }

  /** Drops the request that is kept waiting, whose process is dead. */
  void release() {
    Hold last = hold;
    hold = null;
    if (last != null) {
      last.over.countDown();
    }
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket client = socket.accept();
        threads.execute(() -> serve(client));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket client) {
    try (client) {
      client.setSoTimeout(PATIENCE_MILLIS);
      InputStream in = new BufferedInputStream(client.getInputStream());
      List<String> head = head(in);
      if (header(head, "expect").equalsIgnoreCase("100-continue")) {
        write(client, "HTTP/1.1 100 Continue\r\n\r\n");
      }
      String length = header(head, "content-length");
      byte[] body = in.readNBytes(length.isEmpty() ? 0 : Integer.parseInt(length));
      Thread.sleep(DISTANCE_MILLIS);
      Hold here = hold;
      if (here != null && here.isMetBy(head.get(0), number)) {
        if (here.step.arrived) {
          forward(head, body, body.length);
        }
        here.arrive();
        here.over.await(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
      } else {
        answer(client, head, body, faults.get());
      }
    } catch (IOException e) {
      // the client sees the connection end
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void answer(Socket client, List<String> head, byte[] body, Fault fault)
      throws IOException {
    switch (fault) {
      case LOST_REQUEST -> {}
      case HALF_REQUEST -> forward(head, body, body.length / 2);
      case ERROR -> write(client, error("500 Internal Server Error", "InternalError"));
      case BUSY -> write(client, error("503 Service Unavailable", "SlowDown"));
      case NONE, LOST_ANSWER, HALF_ANSWER -> {
        byte[] answer = forward(head, body, body.length);
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

  /** Passes on so many bytes of the body, and returns the answer if that is all of them. */
  private byte[] forward(List<String> head, byte[] body, int length) throws IOException {
    try (Socket upstream = new Socket(InetAddress.getLoopbackAddress(), server)) {
      upstream.setSoTimeout(PATIENCE_MILLIS);
      StringBuilder text = new StringBuilder();
      for (String line : head) {
        String lower = line.toLowerCase(Locale.ROOT);
        if (!lower.startsWith("connection:") && !lower.startsWith("expect:")) {
          text.append(line).append("\r\n");
        }
      }
      OutputStream out = upstream.getOutputStream();
      out.write((text + "Connection: close\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
      out.write(body, 0, length);
      out.flush();
      return length < body.length ? new byte[0] : upstream.getInputStream().readAllBytes();
    }
  }

  private static void write(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    client.getOutputStream().flush();
  }

  private static String error(String status, String code) {
    String xml = "<Error><Code>%s</Code><Message>on purpose</Message></Error>".formatted(code);
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

  @Override
  public void close() throws IOException {
    release();
    socket.close();
    threads.shutdownNow();
  }
}
