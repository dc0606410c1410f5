package io.deepvm.cluster.agent;

import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.member.Report;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The newest report of each kind. A report that is no longer true is dropped. */
final class AgentReports implements Report.Visitor {

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

  /** A report that the process is ready is not of this kind. */
  @Override
  public void ready(Report.Ready report) {}

  @Override
  public void forming(Report.Forming report) {
    forming++;
  }

  @Override
  public void formed(Report.Formed report) {
    formed = report;
  }

  @Override
  public void suspect(Report.Suspect report) {
    suspect = report;
  }

  @Override
  public void step(Report.Step report) {
    step = report;
  }

  @Override
  public void saved(Report.Saved report) {
    saved.put(report.state(), report);
  }

  @Override
  public void finished(Report.Finished report) {
    finished = report;
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
