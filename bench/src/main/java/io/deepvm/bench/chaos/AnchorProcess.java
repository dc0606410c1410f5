package io.deepvm.bench.chaos;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.anchor.AnchorOptions;
import io.deepvm.checkpoint.anchor.AnchorService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * An anchor to be killed, and with it the uploader to the object store; arguments: its disk's
 * folder, the store's port.
 */
public final class AnchorProcess {

  private AnchorProcess() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Orders orders = new Orders();
    orders.start();
    AnchorService anchor =
        new AnchorService(
            AnchorOptions.of(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    DataSize.parse("8MiB"),
                    Path.of(args[0]))
                .withArchive(ObjectStore.tier(Integer.parseInt(args[1])))
                .withTimeouts(Model.TIMEOUTS)
                .withFaults(orders));
    anchor.start();
    Orders.say("READY " + anchor.address().getPort());
    new CountDownLatch(1).await();
  }
}
