package io.deepvm.bench.chaos;

import io.deepvm.checkpoint.anchor.Anchor;
import io.deepvm.checkpoint.anchor.AnchorOptions;
import io.deepvm.checkpoint.tier.DirectoryTier;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.units.DataSize;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** An anchor to be killed; arguments: the port, the disk's folder, the archive's folder. */
public final class AnchorProcess {

  private AnchorProcess() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Orders orders = new Orders();
    orders.start();
    Anchor anchor =
        new Anchor(
            AnchorOptions.of(
                    new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])),
                    DataSize.parse("8MiB"),
                    Path.of(args[1]))
                .withArchive(new DirectoryTier("archive", Level.ARCHIVED, Path.of(args[2]), orders))
                .withTimeouts(Model.TIMEOUTS)
                .withFaults(orders));
    anchor.start();
    Orders.say("READY");
    new CountDownLatch(1).await();
  }
}
