package io.deepvm.trainer.averaging;

import io.deepvm.trainer.model.Learner;
import io.deepvm.trainer.model.Tensor;
import io.deepvm.trainer.vector.Floats;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.List;

/**
 * Steps that a member takes on its own before parameters are averaged. The common parameters stay
 * as they are beside the ones it works on; what it contributes is its part of the mean of how far
 * all have come from them.
 *
 * <p>The more members share a round, the fewer steps each takes in it. So each is as many times
 * longer: to the first order the mean goes as far as one member alone would, however many there are
 * and however the work was shared, and losing some does not change the training.
 */
final class LocalSteps {

  private final Learner learner;
  private final float rate;
  private final List<Tensor> common;
  private final FloatBuffer gradient;
  private int members = 1;

  LocalSteps(Learner learner, double rate) {
    this.learner = learner;
    this.rate = (float) rate;
    common = learner.tensors().stream().map(LocalSteps::copy).toList();
    gradient = Floats.allocate(learner.size()).asFloatBuffer();
  }

  private static Tensor copy(Tensor tensor) {
    ByteBuffer bytes =
        ByteBuffer.allocateDirect(tensor.bytes().capacity()).order(ByteOrder.nativeOrder());
    bytes.duplicate().put(tensor.bytes().duplicate());
    return new Tensor(tensor.name(), tensor.shape(), tensor.offset(), bytes);
  }

  /** Returns the parameters that all members have. */
  List<Tensor> common() {
    return common;
  }

  /** Takes the learner's parameters for the common ones. */
  void takeOver() {
    copyAll(learner.tensors(), common);
  }

  /** Begins a round at the common parameters, which this many members share. */
  void begin(int sharing) {
    members = sharing;
    copyAll(common, learner.tensors());
  }

  private static void copyAll(List<Tensor> from, List<Tensor> into) {
    for (int i = 0; i < from.size(); i++) {
      into.get(i).bytes().duplicate().put(from.get(i).bytes().duplicate());
    }
  }

  /** Takes a step on these samples and returns the sum of their losses before it. */
  double step(long[] samples) {
    Floats.clear(gradient);
    double loss = learner.gradient(samples, gradient);
    learner.descend(gradient, rate * members / samples.length);
    return loss;
  }

  /** Writes this member's part of the mean way back to the common parameters. */
  void contribute(FloatBuffer into) {
    float part = 1f / members;
    for (int i = 0; i < common.size(); i++) {
      Tensor tensor = common.get(i);
      FloatBuffer here = learner.tensors().get(i).bytes().asFloatBuffer();
      FloatBuffer place = into.slice(tensor.offset(), here.limit());
      Floats.clear(place);
      Floats.addScaled(place, 0, tensor.bytes().asFloatBuffer(), part);
      Floats.addScaled(place, 0, here, -part);
    }
  }
}
