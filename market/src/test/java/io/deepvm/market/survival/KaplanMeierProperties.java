package io.deepvm.market.survival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.catalog.Place;
import io.deepvm.market.Pool;
import io.deepvm.market.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class KaplanMeierProperties {

  private record Stay(int ticks, boolean ended) {}

  @Property(tries = 200, seed = "20261115")
  void theCurveIsTheOneCountedStayByStay(
      @ForAll @IntRange(min = 1, max = 80) int ticks,
      @ForAll @IntRange(min = 1, max = 5) int asked,
      @ForAll boolean up,
      @ForAll long seed) {
    int[] counts = walk(ticks, asked, new Random(seed));
    Trace trace =
        new Trace(
            new Pool(new Place("aws", "us-east-1", null), "p3.2xlarge"),
            null,
            Duration.ofHours(1),
            counts,
            asked,
            new double[0],
            null);
    List<Stay> stays = stays(counts, asked, up);
    Lifetimes lifetimes = up ? Lifetimes.up(trace) : Lifetimes.down(trace);
    assertThat(lifetimes.stays()).isEqualTo(stays.size());
    KaplanMeier curve = KaplanMeier.of(lifetimes);
    for (int t = 0; t <= ticks; t++) {
      double survival = 1;
      double greenwood = 0;
      for (int s = 1; s <= t; s++) {
        int time = s;
        long atRisk = stays.stream().filter(stay -> stay.ticks >= time).count();
        long ended = stays.stream().filter(stay -> stay.ticks == time && stay.ended).count();
        if (ended > 0) {
          survival *= (double) (atRisk - ended) / atRisk;
          greenwood += (double) ended / atRisk / (atRisk - ended);
        }
      }
      KaplanMeier.Step step = curve.at(t);
      assertThat(step.survival()).isCloseTo(survival, within(1e-12));
      if (survival > 0 && survival < 1) {
        double z = Math.log(Math.log(step.low()) / Math.log(survival));
        assertThat(z)
            .isCloseTo(1.959964 * Math.sqrt(greenwood) / -Math.log(survival), within(1e-5));
        assertThat(step.high()).isBetween(survival, 1.0);
      }
    }
  }

  private static int[] walk(int ticks, int asked, Random random) {
    int[] counts = new int[ticks];
    int count = random.nextInt(asked + 1);
    for (int t = 0; t < ticks; t++) {
      count = Math.max(0, Math.min(asked, count + random.nextInt(3) - 1));
      counts[t] = random.nextInt(15) == 0 ? Trace.UNKNOWN : count;
    }
    return counts;
  }

  private static List<Stay> stays(int[] counts, int asked, boolean up) {
    List<Stay> stays = new ArrayList<>();
    for (int slot = 0; slot < asked; slot++) {
      for (int t = 0; t < counts.length; t++) {
        if (!in(counts[t], slot, up) || (t > 0 && in(counts[t - 1], slot, up))) {
          continue;
        }
        int end = t;
        while (end < counts.length && in(counts[end], slot, up)) {
          end++;
        }
        stays.add(new Stay(end - t, end < counts.length && counts[end] != Trace.UNKNOWN));
      }
    }
    return stays;
  }

  private static boolean in(int count, int slot, boolean up) {
    return count != Trace.UNKNOWN && (up ? count > slot : count <= slot);
  }
}
