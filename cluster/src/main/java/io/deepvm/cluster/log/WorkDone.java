package io.deepvm.cluster.log;

import io.deepvm.checkpoint.TicketState;
import io.deepvm.checkpoint.tier.Level;
import java.util.Map;
import java.util.TreeMap;

/** How far the work of a run has come, and what of it was lost. */
final class WorkDone {

  private final TreeMap<Long, Long> samplesByStep = new TreeMap<>();
  private long trainedGeneration;
  private long step;
  private long samples;
  private double loss = Double.NaN;
  private long safeStep;
  private long lostSteps;

  /** The first member that joins the newest generation says where training goes on. */
  void join(Event.Joined e, long generation) {
    if (e.generation() != generation || trainedGeneration == generation || e.step() < 0) {
      return;
    }
    trainedGeneration = generation;
    if (e.step() < step) {
      lostSteps += step - e.step();
      step = e.step();
      samples = samplesAt(step);
      samplesByStep.tailMap(step, false).clear();
    }
  }

  void progress(Event.Progress e, long generation) {
    if (e.generation() < generation && e.step() < step) {
      return;
    }
    // The report of the first member that joined may be lost with its process.
    trainedGeneration = Math.max(trainedGeneration, e.generation());
    step = Math.max(step, e.step());
    samples = Math.max(samples, e.samples());
    loss = e.loss();
    samplesByStep.put(e.step(), e.samples());
  }

  void saved(Event.Saved e) {
    if (TicketState.reaches(e.state(), Level.DURABLE)) {
      safeStep = Math.max(safeStep, e.step());
    }
  }

  /** Returns how many samples had been trained on at the step, or a little before it. */
  private long samplesAt(long atStep) {
    Map.Entry<Long, Long> known = samplesByStep.floorEntry(atStep);
    return known == null ? 0 : known.getValue();
  }

  long step() {
    return step;
  }

  long samples() {
    return samples;
  }

  double loss() {
    return loss;
  }

  /** Returns the newest step whose checkpoint survives the loss of every node. */
  long safeStep() {
    return safeStep;
  }

  long safeSamples() {
    return samplesAt(safeStep);
  }

  long lostSteps() {
    return lostSteps;
  }
}
