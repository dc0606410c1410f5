package io.deepvm.checkpoint.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.base.PrivateFiles;
import io.deepvm.checkpoint.OtherUser;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Python client and agents that are not what they seem (finding 2 of the security review). */
@Timeout(120)
class DeepcheckTrustIT {

  private static final Path SCRIPTS =
      Path.of(System.getProperty("deepvm.root", ".."), "checkpoint/src/test/python");

  /** For this user itself. */
  private static final List<String> AS_WE_ARE = List.of();

  @TempDir Path folder;

  /** Where all users can read the scripts. */
  private Path scripts;

  private final List<Process> agents = new ArrayList<>();

  @BeforeAll
  static void needsPython() throws InterruptedException {
    Python.assumePython();
  }

  @BeforeEach
  void open() throws IOException {
    chmod(folder, "rwx--x--x");
    scripts = Files.createDirectory(folder.resolve("scripts"));
    Files.copy(
        Path.of(Python.script("clients/python/deepcheck.py")), scripts.resolve("deepcheck.py"));
    Path modules = Files.createDirectory(scripts.resolve("deepvm"));
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(Path.of(Python.script("clients/python/deepvm")), "*.py")) {
      for (Path file : files) {
        chmod(Files.copy(file, modules.resolve(file.getFileName())), "rw-r--r--");
      }
    }
    chmod(modules, "rwxr-xr-x");
    for (String script : List.of("fake_agent.py", "victim.py")) {
      Files.copy(SCRIPTS.resolve(script), scripts.resolve(script));
      chmod(scripts.resolve(script), "rw-r--r--");
    }
    chmod(scripts.resolve("deepcheck.py"), "rw-r--r--");
    chmod(scripts, "rwxr-xr-x");
  }

  @AfterEach
  void endAgents() {
    agents.forEach(Process::destroyForcibly);
  }

  private static void chmod(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  private Path folderOf(int user, String name, String mode) throws IOException {
    Path made = Files.createDirectory(folder.resolve(name));
    chmod(made, mode);
    if (user != PrivateFiles.user()) {
      OtherUser.give(made, user);
    }
    return made;
  }

  /** Starts a fake agent and returns what it prints, once it listens. */
  private BufferedReader fake(List<String> as, String deed, Path socket, Path memory, Object... to)
      throws IOException {
    List<String> command = new ArrayList<>(as);
    command.addAll(
        List.of(
            "/usr/bin/python3",
            scripts.resolve("fake_agent.py").toString(),
            deed,
            socket.toString(),
            memory.toString()));
    for (Object each : to) {
      command.add(each.toString());
    }
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    agents.add(process);
    BufferedReader lines = process.inputReader();
    assertThat(lines.readLine()).isEqualTo("READY");
    return lines;
  }

  /** Returns what a script says that saves through the agent on this socket. */
  private String save(List<String> as, Path socket) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(as);
    command.addAll(List.of("/usr/bin/python3", scripts.resolve("victim.py").toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("DEEPVM_AGENT", socket.toString());
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    Process process = builder.start();
    try (BufferedReader lines = process.inputReader()) {
      String said = String.join("\n", lines.lines().toList());
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as("%s", said).isZero();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"steal", "overwrite", "crash"})
  void anotherUsersSocketGetsNothingAndIsNamed(String deed) throws Exception {
    OtherUser.assumeRoot();
    Path squatted = folderOf(OtherUser.ATTACKER, "squatted", "rwxr-xr-x");
    Path own = folderOf(OtherUser.VICTIM, "deepvm-own", "rwx------");
    Path thesis = Files.writeString(own.resolve("thesis"), "x".repeat(1 << 20));
    OtherUser.give(thesis, OtherUser.VICTIM);
    Path socket = squatted.resolve("agent.sock");
    BufferedReader attacker =
        fake(
            OtherUser.as(OtherUser.ATTACKER),
            deed,
            socket,
            deed.equals("overwrite") ? thesis : squatted.resolve("memory"));
    assertThat(save(OtherUser.as(OtherUser.VICTIM), socket))
        .isEqualTo("refused: %s belongs to user 61001, not to user 61000.".formatted(squatted));
    assertThat(Files.readString(thesis)).isEqualTo("x".repeat(1 << 20));
    assertThat(attacker.ready()).isFalse();
  }

  @Test
  void anAgentThatRunsAsAnotherUserIsRefusedEvenOnASocketOfOnesOwn() throws Exception {
    OtherUser.assumeRoot();
    Path own = folderOf(OtherUser.VICTIM, "own", "rwx------");
    Path shared = folderOf(OtherUser.VICTIM, "deepvm-shared", "rwx------");
    Path socket = own.resolve("agent.sock");
    BufferedReader root =
        fake(AS_WE_ARE, "steal", socket, shared.resolve("memory"), OtherUser.VICTIM);
    assertThat(save(OtherUser.as(OtherUser.VICTIM), socket))
        .isEqualTo("refused: The agent on %s runs as user 0, not as user 61000.".formatted(socket));
    assertThat(root.ready()).isFalse();
  }

  @Test
  void aFolderThatOthersCanEnterIsRefused() throws Exception {
    Path open = folderOf(PrivateFiles.user(), "open", "rwxr-xr-x");
    Path shared = folderOf(PrivateFiles.user(), "deepvm-shared", "rwx------");
    fake(AS_WE_ARE, "steal", open.resolve("agent.sock"), shared.resolve("memory"));
    assertThat(save(AS_WE_ARE, open.resolve("agent.sock")))
        .isEqualTo("refused: %s is open to other users (mode 0755).".formatted(open));
  }

  @Test
  void aLinkInPlaceOfTheFolderOrTheSocketIsRefused() throws Exception {
    Path own = folderOf(PrivateFiles.user(), "own", "rwx------");
    Path shared = folderOf(PrivateFiles.user(), "deepvm-shared", "rwx------");
    Path socket = own.resolve("agent.sock");
    fake(AS_WE_ARE, "steal", socket, shared.resolve("memory"));
    Path linked = Files.createSymbolicLink(folder.resolve("linked"), own);
    assertThat(save(AS_WE_ARE, linked.resolve("agent.sock")))
        .isEqualTo("refused: %s is a link, or not what an agent makes.".formatted(linked));
    Path link = Files.createSymbolicLink(own.resolve("link.sock"), socket);
    assertThat(save(AS_WE_ARE, link))
        .isEqualTo("refused: %s is a link, or not what an agent makes.".formatted(link));
  }

  @Test
  void aFileThatIsNotTheAgentsIsNotOverwritten() throws Exception {
    Path own = folderOf(PrivateFiles.user(), "own", "rwx------");
    Path thesis = Files.writeString(own.resolve("thesis"), "x".repeat(1 << 20));
    fake(AS_WE_ARE, "overwrite", own.resolve("agent.sock"), thesis);
    assertThat(save(AS_WE_ARE, own.resolve("agent.sock")))
        .isEqualTo("refused: %s is not in a folder that an agent makes.".formatted(thesis));
    assertThat(Files.readString(thesis)).isEqualTo("x".repeat(1 << 20));
  }

  @Test
  void anOffsetOutsideTheMappingFailsTheSaveAndNotTheProcess() throws Exception {
    Path own = folderOf(PrivateFiles.user(), "own", "rwx------");
    Path shared = folderOf(PrivateFiles.user(), "deepvm-shared", "rwx------");
    fake(AS_WE_ARE, "crash", own.resolve("agent.sock"), shared.resolve("memory"));
    assertThat(save(AS_WE_ARE, own.resolve("agent.sock")))
        .isEqualTo(
            "Ticket(step=1, FAILED, The agent gives -1099511627776 for a run; it must be a number"
                + " from 0 to 1048576.");
  }

  @Test
  void memoryThatIsShorterThanStatedIsRefusedAndNotTouched() throws Exception {
    Path own = folderOf(PrivateFiles.user(), "own", "rwx------");
    Path shared = folderOf(PrivateFiles.user(), "deepvm-shared", "rwx------");
    fake(AS_WE_ARE, "shorten", own.resolve("agent.sock"), shared.resolve("memory"));
    assertThat(save(AS_WE_ARE, own.resolve("agent.sock")))
        .isEqualTo(
            "refused: The agent gives 1048576 for a size of its memory; it must be a number from 0"
                + " to 524288.");
  }

  @Test
  void anAgentOfOnesOwnThatKeepsToTheRulesIsBelieved() throws Exception {
    Path own = folderOf(PrivateFiles.user(), "own", "rwx------");
    Path shared = folderOf(PrivateFiles.user(), "deepvm-shared", "rwx------");
    BufferedReader agent =
        fake(AS_WE_ARE, "steal", own.resolve("agent.sock"), shared.resolve("memory"));
    assertThat(save(AS_WE_ARE, own.resolve("agent.sock"))).isEqualTo("Ticket(step=1, DURABLE)");
    assertThat(agent.readLine()).isEqualTo("read b'secret weights'");
  }
}
