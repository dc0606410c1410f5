package io.deepvm.bench;

import io.deepvm.simulator.RunStatistics;
import io.deepvm.simulator.Sample;
import io.deepvm.simulator.forecast.RecordedJob;
import io.deepvm.simulator.forecast.RunForecast;
import java.util.Locale;

/**
 * Compares the time and cost that plans state with the means of simulated runs, for twenty jobs on
 * the built-in records.
 */
public final class ForecastTruth {

  private static final double AIM = 0.10;

  private ForecastTruth() {}

  /** Takes the number of simulated runs of each job, 1,000 when not given. */
  public static void main(String[] args) {
    int runs = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
    print(
        "%-17s %4s %7s %5s %-13s  %9s %9s %7s  %9s %9s %7s  %6s %6s%n",
        "record",
        "zone",
        "workers",
        "work",
        "architecture",
        "planned",
        "simulated",
        "time",
        "planned",
        "simulated",
        "cost",
        "done",
        "sim.");
    double worst = 0;
    int within = 0;
    int compared = 0;
    for (RecordedJob job : RecordedJob.twenty()) {
      RunForecast planned = job.planned();
      Sample sample = job.simulated(runs);
      RunStatistics done = sample.done();
      if (done == null) {
        print("%s: no simulated run is done; planned share %.3f%n", name(job), planned.doneShare());
        continue;
      }
      double time = planned.seconds().mean() / done.seconds().mean() - 1;
      double cost = planned.usd().mean() / done.cost().mean() - 1;
      double error = Math.max(Math.abs(time), Math.abs(cost));
      worst = Math.max(worst, error);
      within += error <= AIM ? 1 : 0;
      compared++;
      print(
          "%s  %7.2f h %7.2f h %+6.1f%%  $%8.2f $%8.2f %+6.1f%%  %5.1f%% %5.1f%%%n",
          name(job),
          planned.seconds().mean() / 3600,
          done.seconds().mean() / 3600,
          100 * time,
          planned.usd().mean(),
          done.cost().mean(),
          100 * cost,
          100 * planned.doneShare(),
          100.0 * sample.finished() / sample.runs());
    }
    print(
        "%d of %d jobs within %.0f %% in time and cost; the worst is off by %.1f %%.%n",
        within, compared, 100 * AIM, 100 * worst);
  }

  private static String name(RecordedJob job) {
    return String.format(
        Locale.ROOT,
        "%-17s %4d %7d %3.0f h %-13s",
        job.market(),
        job.zone(),
        job.workers(),
        job.hours(),
        job.anchor() ? "single-anchor" : "tiering");
  }

  private static void print(String format, Object... values) {
    System.out.printf(Locale.ROOT, format, values);
  }
}
