package io.deepvm.workload.fit;

/** A family of curves: a value for inputs, given the parameters that choose one of the family. */
@FunctionalInterface
public interface Curve {

  /** The value at these inputs. */
  double value(double[] parameters, double[] inputs);
}
