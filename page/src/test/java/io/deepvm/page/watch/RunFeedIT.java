package io.deepvm.page.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.page.SampleRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RunFeedIT {

  /** A server-sent event. */
  private record Message(String type, String id, String data) {}

  @TempDir Path folder;

  private final List<Thread> threads = new ArrayList<>();

  @AfterEach
  void end() {
    threads.forEach(Thread::interrupt);
  }

  @Test
  void aReconnectGetsExactlyWhatItLacks() throws Exception {
    try (SampleRun run = SampleRun.start(folder.resolve("run"))) {
      run.rent(2, 0, "aws/us-east-1/use1-az1 g5.xlarge").form().train(5, 1);
      List<String> log = Files.readAllLines(folder.resolve("run/events.jsonl"));
      BufferedReader first = feed("0");
      Message all = next(first, "rows");
      assertThat(rows(all)).isEqualTo(log);
      assertThat(all.id()).matches(Files.size(folder.resolve("run/events.jsonl")) + "-[0-9a-f]{8}");
      String identity = all.id().substring(all.id().indexOf('-'));

      long offset = 0;
      for (int i = 0; i < 4; i++) {
        offset += log.get(i).getBytes(StandardCharsets.UTF_8).length + 1;
      }
      assertThat(rows(next(feed(offset + identity), "rows"))).isEqualTo(log.subList(4, log.size()));

      run.lose("taken by the market");
      List<String> longer = Files.readAllLines(folder.resolve("run/events.jsonl"));
      List<String> news = new ArrayList<>();
      while (news.size() < longer.size() - log.size()) {
        news.addAll(rows(next(first, "rows")));
      }
      assertThat(news).isEqualTo(longer.subList(log.size(), longer.size()));
    }
  }

  @Test
  void aReconnectAtTheEndGetsTheStatusAlone() throws Exception {
    try (SampleRun run = SampleRun.start(folder.resolve("run"))) {
      run.rent(1, 0, "here").form().train(2, 1).finish();
    }
    Message message = next(feed(next(feed("0"), "rows").id()));
    assertThat(message.type()).isEqualTo("status");
    assertThat(message.data())
        .contains("\"state\":\"FINISHED\"", "\"step\":2", "\"coordinated\":false");
  }

  @Test
  void theCostsAreThoseOfTheLog() throws Exception {
    try (SampleRun run = SampleRun.start(folder.resolve("run"))) {
      run.rent(1, 0, "here").form().pass(3570);
      run.add(new Event.RunTurned(RunPhase.STOPPING, "", RunPhase.STOPPED));
    }
    // An hour and two seconds of a node for $0.90 and an anchor for $0.02.
    assertThat(next(feed("0"), "rows").data()).endsWith("[3602000,920511]]}");
  }

  @Test
  void anotherRunInTheFolderStartsThePageAnew() throws Exception {
    try (SampleRun run = SampleRun.start(folder.resolve("run"))) {
      run.rent(3, 0, "here").form();
    }
    BufferedReader feed = feed("0");
    next(feed, "status");
    Files.delete(folder.resolve("run/events.jsonl"));
    try (SampleRun run = SampleRun.start(folder.resolve("run"))) {
      next(feed, "anew");
      assertThat(next(feed, "rows").data()).contains("\"event\":\"started\"");
      assertThat(run.folder()).exists();
    }
  }

  @Test
  void aReconnectAfterAnotherRunTookThePlaceGetsAllOfThatRun() throws Exception {
    try (SampleRun run = SampleRun.start(folder.resolve("run"))) {
      run.rent(1, 0, "here").form();
    }
    String id = next(feed("0"), "rows").id();
    Files.delete(folder.resolve("run/events.jsonl"));
    // The second run's log is longer: an offset alone would look as if it were the same run's.
    try (SampleRun run = SampleRun.start(folder.resolve("run"), 1_900_000_000_000L, "other")) {
      run.rent(3, 0, "there").form().train(50, 1);
    }
    List<String> log = Files.readAllLines(folder.resolve("run/events.jsonl"));
    BufferedReader feed = feed(id);
    assertThat(next(feed).type()).isEqualTo("anew");
    assertThat(rows(next(feed, "rows"))).isEqualTo(log);
  }

  @Test
  void aLogThatIsNoLogIsNamed() throws Exception {
    SampleRun.start(folder.resolve("run")).close();
    Files.writeString(folder.resolve("run/events.jsonl"), "{\"event\":\"<nonsense>\"}\n");
    assertThat(next(feed("0"), "broken").data()).contains("Line 1");
  }

  private BufferedReader feed(String lastId) throws IOException {
    PipedOutputStream out = new PipedOutputStream();
    PipedInputStream in = new PipedInputStream(out, 1 << 20);
    RunFeed feed = new RunFeed(RunFolder.of(folder.resolve("run")), Clock.systemUTC(), lastId, out);
    Thread thread =
        new Thread(
            () -> {
              try {
                feed.send();
              } catch (IOException | InterruptedException e) {
                // The test is over.
              }
            });
    thread.setDaemon(true);
    thread.start();
    threads.add(thread);
    return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
  }

  private static Message next(BufferedReader in, String type) throws IOException {
    Message message = next(in);
    while (!message.type().equals(type)) {
      message = next(in);
    }
    return message;
  }

  private static Message next(BufferedReader in) throws IOException {
    String type = "";
    String id = "";
    String data = "";
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.startsWith("event: ")) {
        type = line.substring(7);
      } else if (line.startsWith("id: ")) {
        id = line.substring(4);
      } else if (line.startsWith("data: ")) {
        data = line.substring(6);
      } else if (line.isEmpty() && !type.isEmpty()) {
        return new Message(type, id, data);
      }
    }
    throw new IOException("The feed ended.");
  }

  /** Returns the lines of the log in a message. */
  private static List<String> rows(Message message) throws IOException {
    List<String> rows = new ArrayList<>();
    new com.fasterxml.jackson.databind.json.JsonMapper()
        .readTree(message.data())
        .path("rows")
        .forEach(row -> rows.add(row.toString()));
    return rows;
  }
}
