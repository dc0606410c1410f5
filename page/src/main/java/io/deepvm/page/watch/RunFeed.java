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

/**
 * Sends the event log of a run as server-sent events while it grows. The id of each is the byte
 * offset in the log, so that a browser that lost the server gets exactly what it lacks.
 *
 * <p>{@code rows} has lines of the log and what the run had cost at some of them. {@code status}
 * has what follows from all events so far. {@code anew} says that the log was begun anew.
 */
final class RunFeed {

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration BEAT = Duration.ofSeconds(1);

  /** A finished run says this often that the connection lives. */
  private static final Duration SILENT_BEAT = Duration.ofSeconds(15);

  private static final String EMPTY_LOG = "0";

  /** A browser that lost the server tries again after this many milliseconds. */
  private static final String RETRY = "retry: 500\n\n";

  private final RunFolder run;
  private final Clock clock;
  private final OutputStream out;
  private long sent;

  /**
   * Makes a feed.
   *
   * @param lastId the last id that the browser has
   */
  RunFeed(RunFolder run, Clock clock, String lastId, OutputStream out) {
    this.run = run;
    this.clock = clock;
    this.out = new BufferedOutputStream(out, 1 << 16);
    this.sent = lastId.matches("[0-9]{1,18}") ? Long.parseLong(lastId) : 0;
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
        message("anew", EMPTY_LOG, "{}");
        sent = 0;
      }
    } catch (BadInput | IllegalStateException e) {
      message("broken", "", StatusMessage.broken(String.valueOf(e.getMessage())));
      out.flush();
    }
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
    while (!reader.begunAnew()) {
      List<EventReader.Line> lines = reader.next();
      if (lines.isEmpty()) {
        long now = clock.millis();
        Duration beat = over ? SILENT_BEAT : BEAT;
        if (statusMs == Long.MIN_VALUE || now - statusMs >= beat.toMillis()) {
          statusMs = now;
          boolean coordinated = Runs.coordinated(run.path());
          over = history.state().isEnd() && !coordinated;
          RunStatus status = coordinated ? history.status(now) : history.status();
          message("status", "", statusMessage.of(status, coordinated));
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
      message("rows", Long.toString(end), "{\"rows\":[%s],\"costs\":[%s]}".formatted(rows, costs));
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
