package io.deepvm.trainer.vector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class HalvesTest {

  @Test
  void everyHalfSurvivesBeingAFloat() {
    for (int bits = 0; bits <= 0x7bff; bits++) {
      assertThat(Halves.half(Halves.wide((short) bits))).isEqualTo((short) bits);
      short negative = (short) (bits | 0x8000);
      assertThat(Halves.half(Halves.wide(negative))).isEqualTo(negative);
    }
  }

  @Test
  void knownValuesAreWhatTheStandardSays() {
    assertThat(Halves.half(1f)).isEqualTo((short) 0x3c00);
    assertThat(Halves.half(-2f)).isEqualTo((short) 0xc000);
    assertThat(Halves.half(65504f)).isEqualTo((short) 0x7bff);
    assertThat(Halves.half(0x1p-24f)).isEqualTo((short) 1);
    assertThat(Halves.half(0x1p-14f)).isEqualTo((short) 0x0400);
    assertThat(Halves.half(1f / 3)).isEqualTo((short) 0x3555);
    assertThat(Halves.wide((short) 2047)).isEqualTo(2047 * 0x1p-24f);
  }

  @Test
  void aHalfIsTheNearestThereIs() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      float value = (float) (random.nextGaussian() * Math.pow(10, random.nextInt(9) - 5));
      short half = Halves.half(value);
      double error = Math.abs(Halves.wide(half) - value);
      if (Math.abs(value) <= 65504) {
        assertThat(error).isLessThanOrEqualTo(Math.abs(Halves.wide((short) (half + 1)) - value));
        if ((half & 0x7fff) > 0) {
          assertThat(error).isLessThanOrEqualTo(Math.abs(Halves.wide((short) (half - 1)) - value));
        }
      }
    }
  }

  @Test
  void whatIsTooLargeIsTheLargestAndNoNumberStaysNone() {
    assertThat(Halves.wide(Halves.half(1e9f))).isEqualTo(65504f);
    assertThat(Halves.wide(Halves.half(Float.NEGATIVE_INFINITY))).isEqualTo(-65504f);
    assertThat(Halves.wide(Halves.half(Float.NaN))).isNaN();
  }
}
