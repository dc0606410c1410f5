package io.deepvm.page.watch;

import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.page.PageRequest;
import io.deepvm.page.PageSite;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;

/** The pages of the runs in a folder. All of it only reads, but for the order to stop a run. */
public final class WatchSite implements PageSite {

  /** Each holds a connection and a thread; see the server's limits. */
  private static final int MOST_FEEDS = 24;

  /** Stops a run for good. */
  @FunctionalInterface
  public interface Stopper {
    /** Ends the run in the folder, and returns once it has ended. */
    void stop(Path runFolder) throws IOException, InterruptedException;
  }

  private final RunList runs;
  private final Clock clock;
  private final Stops stops;
  private final Semaphore feeds = new Semaphore(MOST_FEEDS);

  /** Shows the run in the folder, or the runs in the folders in it. */
  public WatchSite(Path folder, Clock clock, Stopper stopper) {
    this.runs = new RunList(folder);
    this.clock = clock;
    this.stops = new Stops(stopper);
  }

  @Override
  public void answer(PageRequest request) throws IOException {
    String what = request.takeSegment();
    switch (what) {
      case "" -> request.sendFile("runs.html");
      case "runs" -> request.sendJson(Map.of("runs", runs.rows(), "one", runs.isOne()));
      case "run" -> answer(request, RunFolder.of(runs.named(request.takeSegment())));
      case "files" -> request.sendFile(request.takeSegment());
      default -> throw new NoSuchPage("page '%s'".formatted(what));
    }
  }

  private void answer(PageRequest request, RunFolder run) throws IOException {
    String what = request.takeSegment();
    switch (what) {
      case "" -> request.sendFile("run.html");
      case "events" -> feed(request, run);
      case "facts" -> request.sendJson(facts(run));
      case "logs" -> request.sendJson(NodeLogs.of(run, request.takeSegment()));
      case "stop" -> stop(request, run);
      default -> throw new NoSuchPage("page '%s'".formatted(what));
    }
  }

  private void feed(PageRequest request, RunFolder run) throws IOException {
    request.requireReading();
    if (!feeds.tryAcquire()) {
      throw new NoSuchPage("room for more than %d open pages".formatted(MOST_FEEDS));
    }
    try {
      String lastId = request.header("Last-Event-ID");
      new RunFeed(run, clock, lastId == null ? "0" : lastId, request.stream()).send();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      feeds.release();
    }
  }

  private static Map<String, Object> facts(RunFolder run) throws IOException {
    RunSpec spec = run.spec();
    PlaceFacts place = PlaceFacts.of(run.path());
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("name", spec.name());
    facts.put("folder", run.path().toString());
    facts.put("kind", spec.work().kind().name());
    facts.put("command", List.copyOf(spec.work().command()));
    facts.put("place", place.name());
    facts.put("lease", place.lease());
    if (place.ceilingUsd() != null) {
      facts.put("ceilingUsd", place.ceilingUsd());
    }
    Forecast forecast = Forecast.read(run.path());
    if (forecast != null) {
      facts.put("forecast", forecast);
    }
    return facts;
  }

  /** Stops the run, if the request repeats its name: the page asks twice. Or says how that went. */
  private void stop(PageRequest request, RunFolder run) throws IOException {
    if (request.writes()) {
      if (!request.body().equals("stop " + RunList.id(run.path()))) {
        throw new NoSuchPage("such order");
      }
      stops.start(run.path());
    }
    request.sendJson(stops.of(run.path()));
  }
}
