package io.deepvm.cli.print;

import io.deepvm.base.Numbers;
import io.deepvm.catalog.speed.MeasuredSpeed;
import io.deepvm.workload.speed.SpeedEstimate;
import io.deepvm.workload.speed.SpeedQuestion;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * How fast machines train a model, and what says so.
 *
 * @param growth how several of them train together; null for one
 * @param memory whether they hold the model; null where that is not known
 */
public record SpeedReport(
    SpeedQuestion question,
    SpeedEstimate estimate,
    @Nullable ClusterGrowth growth,
    @Nullable MemoryCheck memory,
    PrintWriter out) {

  /** Prints it for people. */
  public void table(Paint paint) {
    out.println(
        paint.strong(
            "%s on %s%d x %s in %s: %s samples/s"
                .formatted(
                    question.model().name(),
                    growth == null ? "" : "%d nodes of ".formatted(growth.nodes()),
                    question.gpus(),
                    question.gpu().name(),
                    question.precision(),
                    Numbers.print(estimate.samplesPerSecond()))));
    out.println(
        "8 of 10 lie between %s and %s. Basis: %s."
            .formatted(Numbers.print(estimate.low()), Numbers.print(estimate.high()), explained()));
    if (growth != null) {
      growth.how().forEach(out::println);
    } else if (memory != null) {
      out.println(memory.sentence());
    }
    if (!estimate.rows().isEmpty()) {
      out.println();
      Table rows =
          new Table("MODEL", "GPU", "PRECISION", "BATCH>", "SIZE>", "SAMPLES/S>", "SOURCE");
      for (MeasuredSpeed row : estimate.rows()) {
        rows.row(
            row.model(),
            "%d x %s".formatted(row.gpus(), row.gpu().name()),
            row.precision().toString(),
            row.batch() == null ? "-" : row.batch().toString(),
            row.sampleSize() == null ? "-" : row.sampleSize().toString(),
            Numbers.print(row.samplesPerSecond()),
            row.source().toString());
      }
      rows.print(out, paint, "");
    }
  }

  private String explained() {
    return switch (estimate.basis()) {
      case MEASURED -> "measured";
      case RELATIVE -> "relative, scaled from the rows below";
      case FLOPS -> "peak FLOPS, which was wrong by 39 % in the mean where it could be checked";
    };
  }

  /** Prints it as JSON of the schema deepvm/speed/v1. */
  public void json() {
    Json.object(
        out,
        json -> {
          json.put("schema", "deepvm/speed/v1");
          json.put("model", question.model().name());
          json.put("gpu", question.gpu().name());
          json.put("gpus", question.gpus());
          json.put("nodes", growth == null ? 1 : growth.nodes());
          if (growth != null) {
            json.put("networkMbps", growth.network().mbps());
            json.put("timesOneNode", growth.timesOne());
          }
          json.put("precision", question.precision().toString());
          json.put("batch", question.batch());
          json.put("sampleSize", question.model().sampleSize());
          json.put("samplesPerSecond", estimate.samplesPerSecond());
          json.put("low", estimate.low());
          json.put("high", estimate.high());
          json.put("basis", estimate.basis().toString());
          if (memory != null) {
            json.put("fits", memory.fits());
            json.put("memory", memory.sentence());
          }
          json.array(
              "rows",
              array -> {
                for (MeasuredSpeed row : estimate.rows()) {
                  array.object(each -> row(each, row));
                }
              });
        });
  }

  static void row(Json json, MeasuredSpeed row) throws IOException {
    json.put("model", row.model());
    json.put("gpu", row.gpu().name());
    json.put("gpus", row.gpus());
    json.put("precision", row.precision().toString());
    json.put("batch", row.batch());
    json.put("sampleSize", row.sampleSize());
    json.put("samplesPerSecond", row.samplesPerSecond());
    json.put("source", row.source().name());
    json.put("date", row.source().date());
    json.put("unverified", row.source().unverified());
  }

  /** Prints it as CSV. */
  public void csv() {
    new Csv(out)
        .row(
            "model",
            "gpu",
            "gpus",
            "nodes",
            "precision",
            "batch",
            "samplesPerSecond",
            "low",
            "high",
            "basis")
        .row(
            question.model().name(),
            question.gpu().name(),
            question.gpus(),
            growth == null ? 1 : growth.nodes(),
            question.precision(),
            question.batch(),
            estimate.samplesPerSecond(),
            estimate.low(),
            estimate.high(),
            estimate.basis());
  }
}
