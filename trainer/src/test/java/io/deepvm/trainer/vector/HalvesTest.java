package io.deepvm.trainer.vector;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
  void whatIsTooLargeIsTheLargestAndWhatIsNotFiniteStaysSo() {
    assertThat(Halves.wide(Halves.half(1e9f))).isEqualTo(65504f);
    assertThat(Halves.wide(Halves.half(Float.NEGATIVE_INFINITY))).isNegative().isInfinite();
    assertThat(Halves.wide(Halves.half(Float.NaN))).isNaN();
  }

  private static float[] thereAndBack(float... values) {
    ShortBuffer halves = ShortBuffer.allocate(Halves.bytes(values.length) / Short.BYTES);
    Halves.narrow(FloatBuffer.wrap(values), halves);
    float[] back = new float[values.length];
    Halves.widen(halves, FloatBuffer.wrap(back));
    return back;
  }

  @ParameterizedTest
  @ValueSource(floats = {1e-30f, 1e-8f, 1, 65_504, 1e9f, 1e37f})
  void vectorsOfAnySizeKeepElevenBits(float size) {
    Random random = new Random(1);
    float[] values = new float[5000];
    for (int i = 0; i < values.length; i++) {
      values[i] = size * (random.nextFloat() - 0.5f);
    }
    float[] back = thereAndBack(values);
    for (int i = 0; i < values.length; i++) {
      assertThat(back[i]).isCloseTo(values[i], Offset.offset(Math.abs(values[i]) / 2000));
    }
    assertThat(thereAndBack(back)).isEqualTo(back);
  }

  @Test
  void smallValuesBesideLargeOnesOfAnotherGroupAreKept() {
    float[] values = new float[3 * Floats.CHUNK];
    Arrays.fill(values, 1e-8f);
    values[0] = 1e12f;
    float[] back = thereAndBack(values);
    assertThat(back[0]).isCloseTo(1e12f, Offset.offset(1e9f));
    assertThat(back[Floats.CHUNK]).isCloseTo(1e-8f, Offset.offset(1e-11f));
  }

  @Test
  void theLastFloatIsKeptAsItIs() {
    assertThat(thereAndBack(1e30f, 123_457f)[1]).isEqualTo(123_457f);
    assertThat(thereAndBack(-123_457f)).containsExactly(-123_457f);
    assertThat(thereAndBack()).isEmpty();
  }

  @Test
  void whatIsNotFiniteStaysSoBesideOthers() {
    float[] back = thereAndBack(Float.NaN, Float.POSITIVE_INFINITY, 3e-5f, 0, 1);
    assertThat(back[0]).isNaN();
    assertThat(back[1]).isPositive().isInfinite();
    assertThat(back[2]).isCloseTo(3e-5f, Offset.offset(2e-8f));
    assertThat(back[3]).isZero();
  }
}
