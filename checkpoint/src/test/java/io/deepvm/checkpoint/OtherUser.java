package io.deepvm.checkpoint;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Users that have no name here; to act as one of them, the tests must run as root. */
public final class OtherUser {

  public static final int VICTIM = 61_000;
  public static final int ATTACKER = 61_001;

  private OtherUser() {}

  /** Skips the test where this user cannot act as another. */
  public static void assumeRoot() throws IOException {
    assumeTrue(
        PrivateFiles.user() == 0 && Files.isExecutable(Path.of("/usr/bin/setpriv")),
        "Only root can act as other users; maybe run the tests as root, in a container.");
  }

  /** Returns the words before a command that is to run as this user. */
  public static List<String> as(int user) {
    String id = Integer.toString(user);
    return List.of("/usr/bin/setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--");
  }

  /** Gives a file to this user. */
  public static void give(Path path, int user) throws IOException {
    Files.setAttribute(path, "unix:uid", user);
    Files.setAttribute(path, "unix:gid", user);
  }
}
