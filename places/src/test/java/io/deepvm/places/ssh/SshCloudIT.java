package io.deepvm.places.ssh;

import io.deepvm.places.CloudContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The contract of clouds, kept by machines behind a real sshd. */
class SshCloudIT extends CloudContract {

  @TempDir private static Path shared;
  @TempDir private Path folder;
  private static TestSshd sshd;

  @BeforeAll
  static void start() throws Exception {
    TestSshd.require();
    sshd = TestSshd.start(shared.resolve("sshd"));
  }

  @AfterAll
  static void stop() {
    if (sshd != null) {
      sshd.close();
    }
  }

  @Override
  protected Fixture fixture() {
    return new SshFixture(folder, sshd, POOLS, LIMIT, 60);
  }
}
