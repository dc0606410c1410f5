package io.deepvm.places.notice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.places.testing.FakeMetadata;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoticeReadersTest {

  private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z");
  private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);

  @TempDir private Path folder;
  private FakeMetadata metadata;

  @BeforeEach
  void start() throws IOException {
    metadata = new FakeMetadata(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void stop() {
    metadata.close();
  }

  private NoticeReader reader(String cloud) {
    return NoticeReaders.of(cloud + "=" + metadata.uri(), CLOCK).get(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"aws", "gcp", "azure", "alibaba"})
  void withoutANoticeNothingIsReported(String cloud) throws IOException {
    assertThat(reader(cloud).read()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"aws", "gcp", "azure", "alibaba"})
  void aServiceThatFailsIsNoNotice(String cloud) {
    metadata.silent(true);
    NoticeReader reader = reader(cloud);
    assertThatThrownBy(reader::read).isInstanceOf(IOException.class).hasMessageContaining("503");
    metadata.close();
    assertThatThrownBy(reader::read).isInstanceOf(IOException.class);
  }

  @Test
  void awsAnnouncesTheInstanceActionWithItsTime() throws IOException {
    metadata.awsRebalance(NOW);
    NoticeReader aws = reader("aws");
    assertThat(aws.read()).contains(new Notice("aws", "rebalance", NOW.plusSeconds(120), false));
    metadata.aws(NOW.plusSeconds(110));
    metadata.expireTokens();
    Optional<Notice> notice = aws.read();
    assertThat(notice).contains(new Notice("aws", "terminate", NOW.plusSeconds(110), true));
    assertThat(notice.get().leadSeconds(NOW)).isEqualTo(110);
    assertThat(notice.get().leadSeconds(NOW.plusSeconds(500))).isZero();
  }

  @Test
  void googleNamesNoTimeSoTheDocumentedLeadCounts() throws IOException {
    NoticeReader gcp = reader("gcp");
    metadata.put("/computeMetadata/v1/instance/maintenance-event", "MIGRATE_ON_HOST_MAINTENANCE");
    assertThat(gcp.read()).isEmpty();
    metadata.put("/computeMetadata/v1/instance/maintenance-event", "TERMINATE_ON_HOST_MAINTENANCE");
    assertThat(gcp.read()).contains(new Notice("gcp", "maintenance", NOW.plusSeconds(60), true));
    metadata.gcp();
    assertThat(gcp.read()).contains(new Notice("gcp", "preempted", NOW.plusSeconds(30), true));
  }

  @Test
  void azureNamesAllMachinesOfTheSetAndOnlyTheOwnOneCounts() throws IOException {
    NoticeReader azure = reader("azure");
    metadata.azure("worker_4", NOW.plusSeconds(40));
    assertThat(azure.read()).isEmpty();
    metadata.azure("WORKER_3", NOW.plusSeconds(40));
    assertThat(azure.read()).contains(new Notice("azure", "Preempt", NOW.plusSeconds(40), true));
    metadata.clear();
    assertThat(azure.read()).isEmpty();
  }

  @Test
  void alibabaNamesTheTimeOfTermination() throws IOException {
    metadata.alibaba(NOW.plusSeconds(300));
    assertThat(reader("alibaba").read())
        .contains(new Notice("alibaba", "terminate", NOW.plusSeconds(300), true));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "[1]", "{\"action\":\"stop\"}", "<html>", "null"})
  void anOddAnswerIsNoNotice(String text) {
    metadata.put("/latest/meta-data/spot/instance-action", text);
    assertThatThrownBy(reader("aws")::read).isInstanceOf(IOException.class);
  }

  @Test
  void aWatchReportsEachChangeOnceAndKeepsANoticeWhileTheServiceIsAway() throws Exception {
    BlockingQueue<String> said = new LinkedBlockingQueue<>();
    NoticeWatch.Listener listener =
        new NoticeWatch.Listener() {
          @Override
          public void noticed(Notice notice) {
            said.add("noticed " + notice.action());
          }

          @Override
          public void withdrawn(Notice notice) {
            said.add("withdrawn " + notice.action());
          }
        };
    NoticeReader quick = new Quick(reader("gcp"));
    NoticeWatch watch = NoticeWatch.start(List.of(quick), listener);
    try {
      metadata.gcp();
      assertThat(said.poll(10, TimeUnit.SECONDS)).isEqualTo("noticed preempted");
      metadata.silent(true);
      assertThat(said.poll(100, TimeUnit.MILLISECONDS)).isNull();
      metadata.clear();
      metadata.silent(false);
      assertThat(said.poll(10, TimeUnit.SECONDS)).isEqualTo("withdrawn preempted");
      metadata.gcp();
      assertThat(said.poll(10, TimeUnit.SECONDS)).isEqualTo("noticed preempted");
    } finally {
      watch.close();
    }
  }

  /** Asks every 5 ms. */
  private record Quick(NoticeReader reader) implements NoticeReader {
    @Override
    public String cloud() {
      return reader.cloud();
    }

    @Override
    public Duration pause() {
      return Duration.ofMillis(5);
    }

    @Override
    public Optional<Notice> read() throws IOException {
      return reader.read();
    }
  }

  @Test
  void autoAsksTheCloudThatTheFirmwareNames() throws IOException {
    Files.writeString(folder.resolve("sys_vendor"), "Amazon EC2\n");
    assertThat(NoticeReaders.of("auto", CLOCK, folder))
        .extracting(NoticeReader::cloud)
        .containsExactly("aws");
    Files.writeString(folder.resolve("sys_vendor"), "Some PC\n");
    assertThat(NoticeReaders.of("auto", CLOCK, folder)).isEmpty();
    assertThat(NoticeReaders.of("none", CLOCK, folder)).isEmpty();
    assertThat(NoticeReaders.of("aws,azure", CLOCK, folder))
        .extracting(NoticeReader::cloud)
        .containsExactly("aws", "azure");
  }

  @ParameterizedTest
  @ValueSource(strings = {"amazon", "aws=ftp://x", "aws=", "gcp,"})
  void aSettingThatMakesNoSenseIsRefused(String setting) {
    assertThatThrownBy(() -> NoticeReaders.of(setting, CLOCK)).isInstanceOf(BadInput.class);
  }
}
