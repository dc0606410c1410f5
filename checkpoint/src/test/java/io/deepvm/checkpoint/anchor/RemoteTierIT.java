package io.deepvm.checkpoint.anchor;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.tier.Level;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.checkpoint.tier.TierContract;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The memory of an anchor is a tier like any other. */
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class RemoteTierIT extends TierContract {

  @TempDir Path folder;
  private AnchorService anchor;
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
        new AnchorService(
            AnchorOptions.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                DataSize.parse(memory()),
                folder));
    anchor.start();
    client = new AnchorClient(anchor.address(), null);
    return new RemoteTier("anchor", level(), client);
  }

  @Override
  protected void settle() throws Exception {
    // the last one on the disk goes only when the next is there
    assertThat(anchor.awaitIdle(Duration.ofSeconds(30))).isTrue();
  }

  @AfterEach
  void stop() {
    client.close();
    anchor.close();
  }
}
