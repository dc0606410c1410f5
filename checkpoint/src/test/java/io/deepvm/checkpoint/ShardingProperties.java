package io.deepvm.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class ShardingProperties {

  @Property(tries = 300)
  void sharesAreBalancedAndTogetherHaveEveryByteOnce(
      @ForAll @Size(max = 8) List<@IntRange(max = 40) Integer> sizes,
      @ForAll @IntRange(min = 1, max = 12) int shares) {
    List<Slice> tensors = new ArrayList<>();
    long total = 0;
    for (int i = 0; i < sizes.size(); i++) {
      tensors.addAll(
          States.at(i, List.of(new TensorSpec("t" + i, DType.U8, List.of((long) sizes.get(i))))));
      total += sizes.get(i);
    }
    Map<String, byte[]> joined = new HashMap<>();
    Map<String, Integer> seen = new HashMap<>();
    for (int share = 0; share < shares; share++) {
      long bytes = 0;
      for (Slice slice : StateSharding.share(tensors, share, shares)) {
        bytes += slice.bytes();
        byte[] whole =
            joined.computeIfAbsent(
                slice.tensor().name(), n -> new byte[(int) slice.tensor().bytes()]);
        int at = (int) slice.begin();
        for (var buffer : slice.data()) {
          buffer.get(buffer.position(), whole, at, buffer.remaining());
          at += buffer.remaining();
        }
        seen.merge(slice.tensor().name(), (int) slice.bytes(), Integer::sum);
      }
      assertThat(bytes).isBetween(total / shares, (total + shares - 1) / shares);
    }
    assertThat(joined).hasSize(tensors.size());
    for (Slice tensor : tensors) {
      byte[] expected = new byte[(int) tensor.bytes()];
      tensor.data().get(0).get(0, expected);
      assertThat(joined.get(tensor.tensor().name())).isEqualTo(expected);
      assertThat(seen.get(tensor.tensor().name())).isEqualTo(expected.length);
    }
  }

  @Property(tries = 200)
  void anEmptyTensorIsInOneShare(@ForAll @IntRange(min = 1, max = 9) int shares) {
    List<Slice> tensors = States.zeros(States.mixed());
    List<Slice> onlyEmpty = States.zeros(List.of(States.mixed().get(2)));
    for (List<Slice> state : List.of(tensors, onlyEmpty)) {
      int found = 0;
      for (int share = 0; share < shares; share++) {
        for (Slice slice : StateSharding.share(state, share, shares)) {
          found += slice.tensor().name().equals("empty") ? 1 : 0;
        }
      }
      assertThat(found).isEqualTo(1);
    }
  }
}
