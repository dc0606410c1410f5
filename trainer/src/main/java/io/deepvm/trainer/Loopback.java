package io.deepvm.trainer;

import io.deepvm.trainer.vector.Floats;
import io.deepvm.transport.Connection;
import io.deepvm.transport.Decision;
import io.deepvm.transport.Handler;
import io.deepvm.transport.Name;
import io.deepvm.transport.TransferHeader;
import io.deepvm.transport.TransferOutcome;
import io.deepvm.transport.TransferProgress;
import io.deepvm.transport.TransportClient;
import io.deepvm.transport.TransportOptions;
import io.deepvm.transport.TransportServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeoutException;

/** Measures the transport of a vector within this machine. */
final class Loopback {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private Loopback() {}

  /** Returns the median time to bring these bytes over, of this many times. */
  static double seconds(ByteBuffer bytes, int repeats) throws IOException {
    ByteBuffer there = Floats.allocate(bytes.capacity() / Float.BYTES);
    Handler taking =
        new Handler() {
          @Override
          public Decision incoming(Connection from, TransferHeader header, TransferProgress soFar) {
            return Decision.into(soFar, there.duplicate());
          }
        };
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (TransportServer server = new TransportServer(any, taking, TransportOptions.usual());
        TransportClient client = new TransportClient(TransportOptions.usual())) {
      server.start();
      client.start();
      Connection connection = client.connect(server.address());
      List<Double> times = new ArrayList<>();
      for (int i = 0; i < repeats; i++) {
        long begin = System.nanoTime();
        TransferOutcome outcome =
            connection
                .send(
                    new TransferHeader(
                        UUID.randomUUID(), Name.NONE, 0, Name.of("profile"), bytes.capacity()),
                    bytes.duplicate())
                .await(PATIENCE);
        if (!outcome.delivered()) {
          throw new IOException(outcome.reason());
        }
        times.add((System.nanoTime() - begin) / 1e9);
      }
      return TrainingProfile.median(times);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Measuring was interrupted.", e);
    } catch (TimeoutException e) {
      throw new IOException("The bytes did not come over within a minute.", e);
    }
  }
}
