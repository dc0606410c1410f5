package io.deepvm.places.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.deepvm.places.testing.FakeMetadata;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The readers at the addresses that clouds really use: in a network namespace with the metadata
 * services of all clouds.
 */
class NoticesInNamespaceIT {

  private static final String NAMESPACE = "deepvm-md-" + ProcessHandle.current().pid();
  private static final int PATIENCE_SECONDS = 30;

  private static Process scene;
  private static final BlockingQueue<String> SAID = new LinkedBlockingQueue<>();

  /** The process in the namespace: the services, and watches of all four clouds. */
  public static final class Scene {

    private Scene() {}

    public static void main(String[] args) throws IOException {
      try (FakeMetadata aws = new FakeMetadata(new InetSocketAddress("169.254.169.254", 80));
          FakeMetadata alibaba = new FakeMetadata(new InetSocketAddress("100.100.100.200", 80));
          BufferedReader orders =
              new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
        NoticeWatch watch =
            NoticeWatch.start(
                NoticeReaders.of("aws,gcp,azure,alibaba", Clock.systemUTC()), new Printer());
        System.out.println("ready");
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
          act(order, aws, alibaba);
        }
        watch.close();
      }
    }

    private static void act(String order, FakeMetadata link, FakeMetadata alibaba) {
      Instant soon = Instant.now().plusSeconds(100);
      switch (order) {
        case "aws" -> link.aws(soon);
        case "rebalance" -> link.awsRebalance(soon);
        case "gcp" -> link.gcp();
        case "azure" -> link.azure(FakeMetadata.NAME, soon);
        case "alibaba" -> alibaba.alibaba(soon);
        case "clear" -> {
          link.clear();
          alibaba.clear();
        }
        default -> throw new IllegalArgumentException(order);
      }
    }
  }

  private static final class Printer implements NoticeWatch.Listener {
    @Override
    public void noticed(Notice notice) {
      System.out.printf(
          "noticed %s %s %s%n",
          notice.source(), notice.action(), notice.certain() ? "certain" : "hint");
    }

    @Override
    public void withdrawn(Notice notice) {
      System.out.printf("withdrawn %s %s%n", notice.source(), notice.action());
    }
  }

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(
        System.getProperty("user.name").equals("root") && Files.isExecutable(Path.of("/sbin/ip")),
        "network namespaces need root");
    run("ip", "netns", "add", NAMESPACE);
    inside("ip", "link", "set", "lo", "up");
    inside("ip", "address", "add", "169.254.169.254/32", "dev", "lo");
    inside("ip", "address", "add", "100.100.100.200/32", "dev", "lo");
    scene =
        new ProcessBuilder(
                "ip",
                "netns",
                "exec",
                NAMESPACE,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Scene.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Thread reader = new Thread(NoticesInNamespaceIT::read, "scene");
    reader.setDaemon(true);
    reader.start();
    assertThat(next()).isEqualTo("ready");
  }

  private static void read() {
    try (BufferedReader lines = scene.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        SAID.add(line);
      }
    } catch (IOException e) {
      // The scene is over.
    }
  }

  private static void inside(String... command) throws Exception {
    List<String> line = new java.util.ArrayList<>(List.of("ip", "netns", "exec", NAMESPACE));
    line.addAll(List.of(command));
    run(line.toArray(new String[0]));
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
  }

  @AfterAll
  static void stop() throws Exception {
    if (scene != null) {
      scene.destroyForcibly().waitFor();
    }
    new ProcessBuilder("ip", "netns", "del", NAMESPACE).start().waitFor();
  }

  private static String next() throws InterruptedException {
    return String.valueOf(SAID.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  private static void order(String text) throws IOException {
    OutputStream to = scene.getOutputStream();
    to.write((text + "\n").getBytes(StandardCharsets.UTF_8));
    to.flush();
  }

  @Test
  void allCloudsAreReadAtTheirOwnAddressesAndWithdrawnNoticesToo() throws Exception {
    order("gcp");
    assertThat(next()).isEqualTo("noticed gcp preempted certain");
    order("azure");
    assertThat(next()).isEqualTo("noticed azure Preempt certain");
    order("alibaba");
    assertThat(next()).isEqualTo("noticed alibaba terminate certain");
    order("rebalance");
    assertThat(next()).isEqualTo("noticed aws rebalance hint");
    order("aws");
    assertThat(next()).isEqualTo("withdrawn aws rebalance");
    assertThat(next()).isEqualTo("noticed aws terminate certain");
    order("clear");
    assertThat(List.of(next(), next(), next(), next()))
        .containsExactlyInAnyOrder(
            "withdrawn gcp preempted",
            "withdrawn azure Preempt",
            "withdrawn alibaba terminate",
            "withdrawn aws terminate");
    assertThat(SAID).isEmpty();
  }
}
