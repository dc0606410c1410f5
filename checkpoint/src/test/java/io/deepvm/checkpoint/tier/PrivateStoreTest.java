package io.deepvm.checkpoint.tier;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.PrivateFiles;
import io.deepvm.checkpoint.OtherUser;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The users that can read or stop a store in a folder (finding 7 of the security review). */
@Timeout(60)
class PrivateStoreTest {

  private static final String JOB = "job";
  private static final UUID SESSION = new UUID(1, 1);

  @TempDir Path folder;

  private static int mode(Path path) throws IOException {
    return (Integer) Files.getAttribute(path, "unix:mode") & 07777;
  }

  /** Begins a version, as far as a shard, and returns all that is in the store. */
  private static List<Path> saved(Path store) throws IOException {
    DirectoryTier tier = new DirectoryTier("disk", Level.DURABLE, store);
    tier.claim(JOB, new Claim(1, SESSION));
    try (CheckpointWriter writer = tier.write(new Version(JOB, 1, 10), SESSION);
        ShardWriter shard = writer.shard("shard-00000-of-00001.safetensors", 0)) {
      shard.seal();
    }
    try (Stream<Path> all = Files.walk(store)) {
      return all.toList();
    }
  }

  @Test
  void aStoreIsForItsOwnerAlone() throws IOException {
    Path store = folder.resolve("store");
    Path job = store.resolve(JOB);
    assertThat(saved(store))
        .contains(job.resolve(".lock"), job.resolve("generation"))
        .anyMatch(path -> path.endsWith(".in-use"))
        .anyMatch(path -> path.toString().endsWith(".safetensors"))
        .allSatisfy(
            path ->
                assertThat(mode(path))
                    .as("%s", path)
                    .isEqualTo(Files.isDirectory(path) ? 0700 : 0600));
  }

  @Test
  void aFolderThatTheUserMadeStaysAsItIsAndWhatIsInsideIsPrivate() throws IOException {
    Path store = Files.createDirectory(folder.resolve("store"));
    Files.setAttribute(store, "unix:mode", 0755);
    assertThat(saved(store))
        .filteredOn(path -> !path.equals(store))
        .allSatisfy(path -> assertThat(mode(path) & 0077).as("%s", path).isZero());
    assertThat(mode(store)).isEqualTo(0755);
  }

  @Test
  void aSharedStoreIsForItsGroupAndForNobodyElse() throws IOException {
    Path store = PrivateFiles.share(folder.resolve("store"));
    assertThat(saved(store))
        .allSatisfy(
            path ->
                assertThat(mode(path))
                    .as("%s", path)
                    .isEqualTo(Files.isDirectory(path) ? 02770 : 0660));
  }

  /** Also in a store of an earlier release, whose folders and lock files all users may read. */
  @Test
  void aUserWhoMayReadAStoreCannotStopItsWriter() throws Exception {
    OtherUser.assumeRoot();
    Path store = folder.resolve("store");
    for (Path path : saved(store)) {
      Files.setAttribute(path, "unix:mode", Files.isDirectory(path) ? 0755 : 0644);
    }
    Files.setAttribute(folder, "unix:mode", 0755);
    // the first save after the update closes the lock files
    saved(store);
    assertThat(lockedBy(OtherUser.ATTACKER, store.resolve(JOB).resolve(".lock")))
        .isEqualTo("denied");
    new DirectoryTier("disk", Level.DURABLE, store).claim(JOB, new Claim(2, SESSION));
  }

  /** Returns whether this user could take a read lock on the file. */
  private static String lockedBy(int user, Path file) throws IOException {
    String script =
        """
        import fcntl, sys
        try:
            fcntl.lockf(open(sys.argv[1], "rb"), fcntl.LOCK_SH)
            print("locked")
        except PermissionError:
            print("denied")
        """;
    List<String> command = new ArrayList<>(OtherUser.as(user));
    command.addAll(List.of("/usr/bin/python3", "-c", script, file.toString()));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader lines = process.inputReader()) {
      return String.join("\n", lines.lines().toList());
    } finally {
      process.destroyForcibly();
    }
  }
}
