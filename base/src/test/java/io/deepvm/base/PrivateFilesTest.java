package io.deepvm.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.base.PrivateFiles.Access;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateFilesTest {

  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  @TempDir Path folder;

  private static String mode(Path path) throws IOException {
    return Integer.toOctalString((Integer) Files.getAttribute(path, "unix:mode") & 07777);
  }

  private Path secret(int mode) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), SECRET + "\n");
    Files.setAttribute(file, "unix:mode", mode);
    return file;
  }

  @Test
  void whatIsMadeIsForItsOwnerAlone() throws IOException {
    Path made = PrivateFiles.folder(folder.resolve("a/b"));
    assertThat(mode(folder.resolve("a"))).isEqualTo("700");
    assertThat(mode(made)).isEqualTo("700");
    PrivateFiles.open(made.resolve("new"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
        .close();
    PrivateFiles.open(made.resolve("any"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
        .close();
    PrivateFiles.openLock(made.resolve("lock")).close();
    PrivateFiles.create(made.resolve("empty"));
    PrivateFiles.write(made.resolve("text"), "text");
    for (String name : new String[] {"new", "any", "lock", "empty", "text"}) {
      assertThat(mode(made.resolve(name))).as(name).isEqualTo("600");
    }
    assertThat(made.resolve("text")).hasContent("text");
  }

  @Test
  void whatIsMadeForAGroupIsForItAllTheWayDown() throws IOException {
    Path made = PrivateFiles.folder(folder.resolve("a"), Access.GROUP);
    Path below = PrivateFiles.folder(made.resolve("b/c"));
    assertThat(mode(made)).isEqualTo("2770");
    assertThat(mode(below)).isEqualTo("2770");
    PrivateFiles.open(below.resolve("new"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
        .close();
    PrivateFiles.open(below.resolve("any"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
        .close();
    PrivateFiles.openLock(below.resolve("lock")).close();
    PrivateFiles.write(below.resolve("text"), "text");
    for (String name : new String[] {"new", "any", "lock", "text"}) {
      assertThat(mode(below.resolve(name))).as(name).isEqualTo("660");
    }
  }

  /** Such as a umask of 002 or 007 leaves; only --shared is a wish to share. */
  @ParameterizedTest
  @ValueSource(ints = {0755, 0775, 0770, 02775, 0777})
  void aFolderThatOnlyHappensToBeOpenPassesNothingOn(int mode) throws IOException {
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setAttribute(open, "unix:mode", mode);
    assertThat(mode(PrivateFiles.create(open.resolve("file")))).isEqualTo("600");
    assertThat(mode(PrivateFiles.folder(open.resolve("folder")))).matches("2?700");
    assertThat(mode(open)).isEqualTo(Integer.toOctalString(mode));
  }

  @Test
  void aLockFileThatAllMayReadIsClosed() throws IOException {
    Path lock = Files.createFile(folder.resolve(".lock"));
    Files.setAttribute(lock, "unix:mode", 0644);
    try (FileChannel channel = PrivateFiles.openLock(lock)) {
      assertThat(channel.tryLock()).isNotNull();
    }
    assertThat(mode(lock)).isEqualTo("600");
  }

  @Test
  void aPrivateTokenFileIsRead() throws IOException {
    assertThat(PrivateFiles.readSecret(secret(0600), "token")).isEqualTo(SECRET);
    assertThat(PrivateFiles.readSecret(secret(0400), "token")).isEqualTo(SECRET);
    // through a link, as container platforms mount them
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("token"));
    assertThat(PrivateFiles.readSecret(link, "token")).isEqualTo(SECRET);
  }

  @ParameterizedTest
  @ValueSource(ints = {0644, 0640, 0604, 0620, 0602, 0666, 0601})
  void aLooseTokenFileIsRefusedAsSshDoes(int mode) throws IOException {
    Path file = secret(mode);
    assertThatThrownBy(() -> PrivateFiles.readSecret(file, "token"))
        .isInstanceOf(BadInput.class)
        .hasMessage(
            "The token file '%s' is open to other users (mode 0%s)."
                .formatted(file, Integer.toOctalString(mode)));
  }

  @Test
  void aTokenFileOfAnotherUserIsRefused() throws IOException {
    assumeTrue(PrivateFiles.user() == 0, "Only root can give files away.");
    Path file = secret(0600);
    Files.setAttribute(file, "unix:uid", 61_001);
    assertThatThrownBy(() -> PrivateFiles.readSecret(file, "token"))
        .isInstanceOf(BadInput.class)
        .hasMessageEndingWith("belongs to user 61001, not to user 0.");
  }

  @Test
  void aFileThatHoldsNoSecretIsRefused() throws IOException {
    Path missing = folder.resolve("missing");
    assertThatThrownBy(() -> PrivateFiles.readSecret(missing, "key"))
        .isInstanceOf(BadInput.class)
        .hasMessage("The key file '%s' does not exist.", missing);
    Path big = secret(0600);
    Files.write(big, new byte[(64 << 10) + 1]);
    assertThatThrownBy(() -> PrivateFiles.readSecret(big, "key"))
        .isInstanceOf(BadInput.class)
        .hasMessage("The key file '%s' has 65537 bytes.", big);
  }
}
