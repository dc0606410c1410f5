package io.deepvm.trainer.data;

/** Samples by their number. */
public interface Dataset {

  /** Returns how many there are. */
  long size();

  /** Returns how many floats a sample's input has. */
  int inputSize();

  /** Returns how many labels a sample has: one a class, or one a token. */
  int labelSize();

  /** Returns how many different labels there are. */
  int classes();

  /** Writes a sample's input and labels to these places. */
  void read(long sample, float[] input, int inputAt, float[] labels, int labelsAt);
}
