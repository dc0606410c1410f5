package io.deepvm.workload.speed;

import io.deepvm.catalog.Precision;
import io.deepvm.workload.Job;
import io.deepvm.workload.JobFile;

/**
 * A well-known model, as a job that one can print and edit.
 *
 * @param title what it is trained for
 * @param batch samples that one GPU usually takes in a step
 * @param source where the figures are from
 * @param jobFile the job in YAML
 */
public record ModelPreset(
    String name,
    String title,
    ModelShape shape,
    Precision precision,
    int batch,
    String source,
    String jobFile) {

  /** Returns the job. */
  public Job job() {
    return JobFile.parse(name, jobFile);
  }

  /** Returns the job for another number of epochs. */
  public Job job(double epochs) {
    return JobFile.parse(name, jobFile.replaceFirst("epochs: \\S+", "epochs: " + epochs));
  }
}
