package io.deepvm.places.slurm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Debian's Slurm with three nodes that are all this machine, and a munge of its own. */
public final class TestSlurm implements AutoCloseable {

  private static final int NODES = 3;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final List<String> TOOLS =
      List.of("/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged", "/usr/bin/sbatch");

  private final Path folder;
  private final List<Process> daemons = new ArrayList<>();

  private TestSlurm(Path folder) {
    this.folder = folder;
  }

  /** Leaves a test out where there is no Slurm, or no right to start it. */
  public static void require() {
    assumeTrue(
        TOOLS.stream().map(Path::of).allMatch(Files::isExecutable),
        "slurmctld, slurmd, slurm-client and munge are not installed");
    assumeTrue(System.getProperty("user.name").equals("root"), "slurmd needs root");
  }

  /** Starts a cluster whose files are in the folder. The folder's path must be short. */
  public static TestSlurm start(Path folder) throws IOException, InterruptedException {
    Files.createDirectories(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    TestSlurm slurm = new TestSlurm(folder);
    try {
      slurm.munge();
      slurm.configure();
      slurm.daemon("ctld", "/usr/sbin/slurmctld", "-D", "-f", slurm.config().toString());
      for (int i = 1; i <= NODES; i++) {
        slurm.daemon(
            "w" + i, "/usr/sbin/slurmd", "-D", "-N", "w" + i, "-f", slurm.config().toString());
      }
      slurm.awaitIdle();
      return slurm;
    } catch (IOException | InterruptedException | RuntimeException e) {
      slurm.close();
      throw e;
    }
  }

  private void munge() throws IOException, InterruptedException {
    Path key = folder.resolve("munge.key");
    byte[] secret = new byte[128];
    new SecureRandom().nextBytes(secret);
    Files.write(key, secret);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("r--------"));
    daemon(
        "munge",
        "/usr/sbin/munged",
        "--foreground",
        "--force",
        "--key-file=" + key,
        "--socket=" + folder.resolve("munge.sock"),
        "--pid-file=" + folder.resolve("munge.pid"),
        "--log-file=" + folder.resolve("munged.log"),
        "--seed-file=" + folder.resolve("munge.seed"));
    long until = System.nanoTime() + PATIENCE_NANOS;
    while (!Files.exists(folder.resolve("munge.sock"))) {
      requireTime(until, "munge");
    }
  }

  private void requireTime(long until, String daemon) throws IOException, InterruptedException {
    if (System.nanoTime() > until || daemons.stream().anyMatch(each -> !each.isAlive())) {
      Path log = folder.resolve(daemon + ".log");
      throw new IOException("Slurm does not start: " + Files.readString(log));
    }
    Thread.sleep(20);
  }

  /** Returns the file that SLURM_CONF must name. */
  public Path config() {
    return folder.resolve("slurm.conf");
  }

  private void configure() throws IOException {
    String host = InetAddress.getLocalHost().getHostName();
    StringBuilder nodes = new StringBuilder();
    for (int i = 1; i <= NODES; i++) {
      nodes.append(
          "NodeName=w%d NodeHostname=%s NodeAddr=127.0.0.1 Port=%d CPUs=4 RealMemory=4000 State=UNKNOWN%n"
              .formatted(i, host, freePort()));
    }
    Files.writeString(
        config(),
        """
        ClusterName=deepvm
        SlurmctldHost=%s(127.0.0.1)
        SlurmUser=root
        SlurmdUser=root
        AuthType=auth/munge
        AuthInfo=socket=%s
        CredType=cred/munge
        SlurmctldPort=%d
        StateSaveLocation=%s
        SlurmdSpoolDir=%s/%%n
        SlurmctldPidFile=%s/ctld.pid
        SlurmdPidFile=%s/%%n.pid
        ProctrackType=proctrack/linuxproc
        TaskPlugin=task/none
        SwitchType=switch/none
        MpiDefault=none
        ReturnToService=2
        SelectType=select/cons_tres
        SelectTypeParameters=CR_Core
        SlurmdParameters=config_overrides
        SchedulerParameters=sched_min_interval=10000,batch_sched_delay=0
        KillWait=5
        JobAcctGatherType=jobacct_gather/none
        AccountingStorageType=accounting_storage/none
        %sPartitionName=cpu Nodes=w[1-%d] Default=YES MaxTime=INFINITE State=UP
        """
            .formatted(
                host,
                folder.resolve("munge.sock"),
                freePort(),
                Files.createDirectories(folder.resolve("state")),
                folder,
                folder,
                folder,
                nodes,
                NODES));
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  private void daemon(String name, String... command) throws IOException {
    daemons.add(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile())
            .start());
  }

  private void awaitIdle() throws IOException, InterruptedException {
    long until = System.nanoTime() + PATIENCE_NANOS;
    while (!command("sinfo", "--noheader", "--format=%T %D").strip().equals("idle " + NODES)) {
      requireTime(until, "ctld");
    }
  }

  /** Runs a command of Slurm and returns what it printed. */
  public String command(String... line) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().put("SLURM_CONF", config().toString());
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }

  /** Stops the controller for a while, or lets it go on. */
  public void freezeController(boolean frozen) throws IOException, InterruptedException {
    String signal = frozen ? "-STOP" : "-CONT";
    new ProcessBuilder("kill", signal, Long.toString(daemons.get(1).pid())).start().waitFor();
  }

  @Override
  public void close() {
    for (int i = daemons.size() - 1; i >= 0; i--) {
      Process daemon = daemons.get(i);
      List<ProcessHandle> started = daemon.descendants().toList();
      daemon.destroyForcibly();
      started.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
