package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.member.Report;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The newest report of each kind. A report that is no longer true is dropped. */
final class AgentReports {

  private long cleared;
  private int masterPort;
  private long launched;
  private long forming;
  private Report.@Nullable Formed formed;
  private Report.@Nullable Suspect suspect;
  private Report.@Nullable Step step;
  private final Map<String, Report.Saved> saved = new TreeMap<>();
  private Report.@Nullable Finished finished;
  private long silent;
  private AgentStatus.@Nullable Exit exit;

  /** Keeps a report of the training process; one that it is ready is not of this kind. */
  void take(Report report) {
    if (report instanceof Report.Forming) {
      forming++;
    } else if (report instanceof Report.Formed newest) {
      formed = newest;
    } else if (report instanceof Report.Suspect newest) {
      suspect = newest;
    } else if (report instanceof Report.Step newest) {
      step = newest;
    } else if (report instanceof Report.Saved newest) {
      saved.put(newest.state(), newest);
    } else if (report instanceof Report.Finished newest) {
      finished = newest;
    } else if (!(report instanceof Report.Ready)) {
      throw new IllegalArgumentException("No agent knows the report " + report + ".");
    }
  }

  /** Drops what the last generation left behind. */
  void enterGeneration() {
    exit = null;
    formed = null;
    suspect = null;
    silent = 0;
    masterPort = 0;
  }

  /** Reports the end of a process, which trains no more. */
  void ended(AgentStatus.Exit how) {
    exit = how;
    formed = null;
    silent = 0;
  }

  /** Reports that the old command has ended. */
  void cleared(long generation, int port) {
    cleared = generation;
    masterPort = port;
  }

  void launched(long generation) {
    launched = generation;
  }

  void silent(long generation) {
    silent = generation;
  }

  long cleared() {
    return cleared;
  }

  AgentStatus.@Nullable Exit exit() {
    return exit;
  }

  AgentStatus.Barrier barrier() {
    return new AgentStatus.Barrier(cleared, masterPort, launched, forming, formed, suspect);
  }

  AgentStatus.Work work() {
    return new AgentStatus.Work(step, List.copyOf(saved.values()), finished, silent);
  }
}
