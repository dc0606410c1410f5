package io.deepvm.page.watch;

import io.deepvm.base.BadInput;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.Runs;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventReader;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunStatus;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * Sends the event log of a run as server-sent events while it grows. The id of each is the byte
 * offset in the log and a hash of its first line. A browser that lost the server gets exactly what
 * it lacks, and all of another run that has taken the place of the one it knew.
 *
 * <p>{@code rows} has lines of the log and what the run had cost at some of them. {@code status}
 * has what follows from all events so far. {@code anew} says that the log was begun anew.
 */
final class RunFeed {

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration BEAT = Duration.ofSeconds(1);

  /** A finished run says this often that the connection lives. */
  private static final Duration SILENT_BEAT = Duration.ofSeconds(15);

  private static final Pattern ID = Pattern.compile("([0-9]{1,18})-([0-9a-f]{8})");

  /** A browser that lost the server tries again after this many milliseconds. */
  private static final String RETRY = "retry: 500\n\n";

  private final RunFolder run;
  private final Clock clock;
  private final OutputStream out;

  /** What the browser has of the log. */
  private long sent;

  /** The hash of the first line of the log that the browser has; empty if it has nothing. */
  private String log = "";

  /**
   * Makes a feed.
   *
   * @param lastId the last id that the browser has; any other text if it has none
   */
  RunFeed(RunFolder run, Clock clock, String lastId, OutputStream out) {
    this.run = run;
    this.clock = clock;
    this.out = new BufferedOutputStream(out, 1 << 16);
    Matcher id = ID.matcher(lastId);
    if (id.matches()) {
      this.sent = Long.parseLong(id.group(1));
      this.log = id.group(2);
    }
  }

  /** Sends events until the browser goes or this thread is interrupted. */
  void send() throws IOException, InterruptedException {
    try {
      out.write(RETRY.getBytes(StandardCharsets.UTF_8));
      awaitLog();
      while (true) {
        try (EventReader reader = EventReader.open(run.events())) {
          follow(reader);
        }
        anew();
      }
    } catch (BadInput | IllegalStateException e) {
      message("broken", "", StatusMessage.broken(String.valueOf(e.getMessage())));
      out.flush();
    }
  }

  /** Says that all of the log follows, as nothing that the browser has is of this log. */
  private void anew() throws IOException {
    message("anew", "", "{}");
    sent = 0;
    log = "";
  }

  private void awaitLog() throws IOException, InterruptedException {
    long waited = 0;
    while (!Files.exists(run.events())) {
      Thread.sleep(POLL.toMillis());
      waited += POLL.toMillis();
      if (waited % SILENT_BEAT.toMillis() == 0) {
        beat();
      }
    }
  }

  /** Sends what is in the log and what comes, until the log is begun anew. */
  private void follow(EventReader reader) throws IOException, InterruptedException {
    History history = new History();
    StatusMessage statusMessage = new StatusMessage();
    long statusMs = Long.MIN_VALUE;
    boolean over = false;
    boolean first = true;
    while (!reader.begunAnew()) {
      List<EventReader.Line> lines = reader.next();
      if (first && !lines.isEmpty()) {
        identify(lines.get(0));
        first = false;
      }
      if (lines.isEmpty()) {
        long now = clock.millis();
        Duration beat = over ? SILENT_BEAT : BEAT;
        if (statusMs == Long.MIN_VALUE || now - statusMs >= beat.toMillis()) {
          statusMs = now;
          boolean coordinated = Runs.coordinated(run.path());
          over = history.state().isEnd() && !coordinated;
          RunStatus status = coordinated ? history.status(now) : history.status();
          message("status", "", statusMessage.of(status, coordinated, now));
        }
        out.flush();
        Thread.sleep(POLL.toMillis());
      } else {
        rows(lines, history);
        // A new state is worth a status at once.
        statusMs = Long.MIN_VALUE;
      }
    }
  }

  /** Finds out by the first line whether the browser has this log or that of another run. */
  private void identify(EventReader.Line line) throws IOException {
    CRC32C hash = new CRC32C();
    hash.update(line.text().getBytes(StandardCharsets.UTF_8));
    String found = "%08x".formatted(hash.getValue());
    boolean other = !log.isEmpty() && !log.equals(found);
    if (other || sent > Files.size(run.events())) {
      anew();
    }
    log = found;
  }

  private void rows(List<EventReader.Line> lines, History history) throws IOException {
    StringBuilder rows = new StringBuilder();
    StringBuilder costs = new StringBuilder();
    long end = sent;
    for (EventReader.Line line : lines) {
      Logged logged = line.logged();
      history.add(logged);
      if (line.endOffset() <= sent) {
        continue;
      }
      end = line.endOffset();
      rows.append(rows.isEmpty() ? "" : ",").append(line.text());
      if (changesCosts(logged.event())) {
        cost(costs, history, logged);
      }
    }
    if (!rows.isEmpty()) {
      cost(costs, history, lines.get(lines.size() - 1).logged());
      sent = end;
      message("rows", end + "-" + log, "{\"rows\":[%s],\"costs\":[%s]}".formatted(rows, costs));
    }
  }

  /** Between two such events the cost grows evenly. */
  private static boolean changesCosts(Event event) {
    return event instanceof Event.Rented
        || event instanceof Event.NodeTurned
        || event instanceof Event.Priced
        || event instanceof Event.RunTurned
        || event instanceof Event.Resumed;
  }

  private static void cost(StringBuilder costs, History history, Logged logged) {
    costs
        .append(costs.isEmpty() ? "[" : ",[")
        .append(logged.marketMs())
        .append(',')
        .append(history.cost().micros())
        .append(']');
  }

  private void message(String type, String id, String data) throws IOException {
    StringBuilder text = new StringBuilder();
    if (!id.isEmpty()) {
      text.append("id: ").append(id).append('\n');
    }
    text.append("event: ").append(type).append("\ndata: ").append(data).append("\n\n");
    out.write(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private void beat() throws IOException {
    out.write(":\n\n".getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
