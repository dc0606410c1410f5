package io.deepvm.checkpoint.anchor;

import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.checkpoint.tier.TierContract;
import io.deepvm.units.DataSize;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The memory of an anchor is a tier like any other. */
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class RemoteTierIT extends TierContract {

  @TempDir Path folder;
  private Anchor anchor;
  private AnchorClient client;

  Level level() {
    return Level.REPLICATED;
  }

  String memory() {
    return "8MiB";
  }

  @Override
  protected Tier open() throws IOException {
    anchor =
        new Anchor(
            AnchorOptions.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                DataSize.parse(memory()),
                folder));
    anchor.start();
    client = new AnchorClient(anchor.address(), null);
    return new RemoteTier("anchor", level(), client);
  }

  @AfterEach
  void stop() {
    client.close();
    anchor.close();
  }
}
