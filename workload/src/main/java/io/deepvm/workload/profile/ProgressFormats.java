package io.deepvm.workload.profile;

import java.util.List;

/** The formats that are understood; the first one with a speed is taken. */
public final class ProgressFormats {

  private ProgressFormats() {}

  /** Returns all formats, the most exact first. */
  public static List<ProgressFormat> all() {
    return List.of(
        new ReportLines(),
        new ClientSteps(),
        new TrainerLogs(),
        new NanoGptLogs(),
        new RichBars(),
        new ProgressBars());
  }
}
