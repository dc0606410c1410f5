package io.deepvm.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.checkpoint.tier.TierContract;
import io.deepvm.units.BadInput;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class S3TierTest extends TierContract {

  private static StoreServer server;
  private static final AtomicInteger FOLDERS = new AtomicInteger();

  @BeforeAll
  static void startServer() throws Exception {
    server = new StoreServer();
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.stop();
  }

  @Override
  protected Tier open() {
    return StoreServer.tier(server.endpoint(), "run/" + FOLDERS.incrementAndGet());
  }

  @Test
  void aNameCannotLeaveThePrefix() {
    Tier tier = open();
    for (String job : new String[] {"../other", "a/b", "", "."}) {
      assertThatThrownBy(() -> tier.list(job)).isInstanceOf(BadInput.class);
      assertThatThrownBy(() -> tier.fence(job, 1)).isInstanceOf(BadInput.class);
    }
    for (String url :
        new String[] {"s3://bucket/../x", "s3://bucket//x", "http://bucket", "s3://"}) {
      assertThatThrownBy(() -> S3Location.parse(url, null, null)).isInstanceOf(BadInput.class);
    }
    assertThat(S3Location.parse("s3://bucket/a/b/", null, null).prefix()).isEqualTo("a/b");
    assertThat(S3Location.parse("s3://bucket", null, null).prefix()).isEmpty();
  }

  @Test
  void aPartIsAsLargeAsTenThousandPartsNeed() {
    int usual = 5 << 20;
    assertThat(Upload.partBytes(1, usual)).isEqualTo(usual);
    assertThat(Upload.partBytes(10_000L * usual - 1, usual)).isEqualTo(usual);
    for (long bytes : new long[] {10_000L * usual, 10_000L * usual + 1, 5L << 40}) {
      long part = Upload.partBytes(bytes, usual);
      assertThat(part * 10_000).isGreaterThanOrEqualTo(bytes);
      assertThat(part).isLessThan(bytes / 10_000 + (2 << 20));
    }
  }
}
