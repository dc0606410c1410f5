package io.deepvm.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenFileTest {

  private static final Duration GRACE = Duration.ofMinutes(10);
  private static final Token OLD = Token.of("the secret of yesterday");
  private static final Token NEW = Token.of("the secret of today!!!!");

  private final AtomicLong now = new AtomicLong();

  @TempDir private Path folder;

  private Path write(String secret) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), secret + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private TokenFile open(Path file) {
    return new TokenFile(file, GRACE, now::get);
  }

  /** Returns what each secret proves, since tokens do not compare. */
  private static List<String> proofs(Secrets secrets, Role from, Role to) {
    return secrets.between(from, to).stream().map(TokenFileTest::proof).toList();
  }

  private static String proof(Token token) {
    return Name.of(token.prove(new byte[] {1})).toString();
  }

  private static String workerToAnchor(Token master) {
    return proof(master.between(Role.WORKER, Role.ANCHOR));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r--r--", "rw-r-----", "rw----r--", "rw--w----"})
  void aTokenFileThatOthersMayReadIsRefusedAsSshDoes(String mode) throws IOException {
    Path file = write("the secret of yesterday");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    assertThatThrownBy(() -> open(file))
        .isInstanceOfSatisfying(
            BadInput.class, e -> assertThat(e.wayOut()).contains("chmod 600 " + file))
        .hasMessageContaining("is open to other users");
  }

  @Test
  void aSecretIsReplacedWithoutARestartAndTheOldOneStaysValidForTheGracePeriod()
      throws IOException {
    TokenFile tokens = open(write("the secret of yesterday"));
    assertThat(proofs(tokens, Role.WORKER, Role.ANCHOR)).containsExactly(workerToAnchor(OLD));

    write("the secret of today!!!!");
    assertThat(proofs(tokens, Role.WORKER, Role.ANCHOR))
        .containsExactly(workerToAnchor(NEW), workerToAnchor(OLD));

    now.addAndGet(GRACE.toNanos());
    assertThat(proofs(tokens, Role.WORKER, Role.ANCHOR)).contains(workerToAnchor(OLD));
    now.addAndGet(1);
    assertThat(proofs(tokens, Role.WORKER, Role.ANCHOR)).containsExactly(workerToAnchor(NEW));
  }

  @Test
  void aFileThatIsDamagedOrOpenedToOthersLeavesTheSecretAsItWas() throws IOException {
    Path file = write("the secret of yesterday");
    TokenFile tokens = open(file);
    write("short");
    assertThat(proofs(tokens, Role.WORKER, Role.ANCHOR)).containsExactly(workerToAnchor(OLD));
    write("the secret of today!!!!");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(proofs(tokens, Role.WORKER, Role.ANCHOR)).containsExactly(workerToAnchor(OLD));
    Files.delete(file);
    assertThat(proofs(tokens, Role.WORKER, Role.ANCHOR)).containsExactly(workerToAnchor(OLD));
  }

  @Test
  void theFileOfARoleServesThatRoleOnly() throws IOException {
    Path file = folder.resolve("anchor.token");
    TokenFile.write(file, OLD, Role.ANCHOR);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    TokenFile anchor = open(file);
    for (Role other : Role.values()) {
      assertThat(proofs(anchor, other, Role.ANCHOR))
          .containsExactly(proof(OLD.between(other, Role.ANCHOR)));
    }
    assertThat(proofs(anchor, Role.WORKER, Role.WORKER)).isEmpty();
    assertThat(proofs(anchor, Role.COORDINATOR, Role.WORKER)).isEmpty();
  }

  @Test
  void aLineThatIsNoSecretIsRefused() throws IOException {
    Path file = write("# DeepVM secrets of one role: worker\nworker to anchor 12zz");
    assertThatThrownBy(() -> open(file))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("no secret of a role");
  }
}
