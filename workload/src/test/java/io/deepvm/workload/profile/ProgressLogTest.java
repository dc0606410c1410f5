package io.deepvm.workload.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Lines as the tools print them, with known times. */
class ProgressLogTest {

  private final ProgressLog log = new ProgressLog();

  private SpeedReading speed() {
    return Objects.requireNonNull(log.speed(), "no speed was found");
  }

  @Test
  void progressLinesCountSamples() {
    for (int i = 0; i <= 10; i++) {
      log.add(
          i,
          "{\"report\":\"step\",\"generation\":1,\"step\":%d,\"samples\":%d,\"loss\":0.4}"
              .formatted(i, 64 * i));
      log.add(i, "{\"report\":\"saved\",\"step\":1,\"state\":\"DURABLE\",\"reason\":\"\"}");
    }
    assertThat(speed().format()).isEqualTo("progress lines");
    assertThat(speed().samplesPerSecond(null)).isCloseTo(64, within(1e-9));
  }

  @Test
  void theFirstQuarterIsWarmUp() {
    log.add(0, "iter 0: loss 10.9, time 30000.00ms, mfu -100.00%");
    log.add(30, "iter 1: loss 10.8, time 30000.00ms, mfu -100.00%");
    for (int i = 2; i <= 41; i++) {
      log.add(29 + i, "iter %d: loss 9.1, time 1000.00ms, mfu 5.21%%".formatted(i));
    }
    assertThat(speed().perSecond()).isCloseTo(1, within(1e-9));
    assertThat(speed().samplesPerSecond(null)).isNull();
    assertThat(speed().samplesPerSecond(12.0)).isCloseTo(12, within(1e-9));
  }

  @Test
  void nanoGptCountsIterationsAndItsEvaluationsAreNone() {
    log.add(0, "step 0: train loss 10.9, val loss 10.9");
    log.add(0, "iter 0: loss 10.9885, time 14208.85ms, mfu -100.00%");
    log.add(5, "iter 10: loss 10.0000, time 500.00ms, mfu 17.40%");
    log.add(10, "iter 20: loss nan, time 500.00ms, mfu 17.40%");
    assertThat(speed().format()).isEqualTo("nanoGPT");
    assertThat(speed().perSecond()).isCloseTo(2, within(1e-9));
  }

  @Test
  void aBarOfTqdmGoesOnWithTheNextEpoch() {
    for (int i = 1; i <= 100; i++) {
      log.add(0.1 * i, bar("Epoch 0: ", i, "it"));
    }
    for (int i = 1; i <= 100; i++) {
      log.add(10 + 0.1 * i, bar("Epoch 1: ", i, "it"));
      log.add(10 + 0.1 * i, bar("Epoch 1: ", i, "it")); // redrawn
    }
    assertThat(speed().format()).isEqualTo("tqdm");
    assertThat(speed().perSecond()).isCloseTo(10, within(1e-6));
    assertThat(speed().unit()).isEqualTo(ProgressCount.Unit.STEPS);
  }

  private static String bar(String title, int count, String unit) {
    return "%s%3d%%|%-10s| %d/100 [00:01<00:07, 11.47%s/s, v_num=0, train_loss=2.31]"
        .formatted(title, count, "█▏", count, unit);
  }

  @Test
  void theLongestBarIsTheTraining() {
    log.add(0, bar("Map: ", 1, " examples"));
    log.add(2, bar("Map: ", 100, " examples"));
    for (int i = 0; i <= 10; i++) {
      log.add(3 + i, bar("", i, "it"));
    }
    log.add(14, bar("Validation DataLoader 0: ", 1, "it"));
    log.add(15, bar("Validation DataLoader 0: ", 90, "it"));
    assertThat(speed().perSecond()).isCloseTo(1, within(1e-9));
    assertThat(speed().unit()).isEqualTo(ProgressCount.Unit.STEPS);
  }

  @Test
  void aBarOfSamplesNeedsNoBatchAndSlowOnesAreUnderstood() {
    log.add(0, "  1%|          | 1.00k/100k [00:01<01:39, 1.00ksamples/s]");
    log.add(4, "  5%|5         | 5.00k/100k [00:05<01:35, 1.00ksamples/s]");
    log.add(5, "  6%|6         | 6.00k/100k [00:06<01:34, 1.00ksamples/s]");
    assertThat(speed().samplesPerSecond(null)).isCloseTo(1000, within(1e-6));
    assertThat(new ProgressBars().read("  1%|1  | 3/300 [00:06<09:54,  2.00s/it]"))
        .isEqualTo(new ProgressCount("/it", 3, ProgressCount.Unit.STEPS));
    assertThat(new ProgressBars().read("120it [00:10, 11.47it/s]"))
        .isEqualTo(new ProgressCount("/it", 120, ProgressCount.Unit.STEPS));
    assertThat(new ProgressBars().read("  0%|          | 0/375 [00:00<?, ?it/s]"))
        .isEqualTo(new ProgressCount("/it", 0, ProgressCount.Unit.STEPS));
  }

  @Test
  void theRichBarOfLightningIsUnderstood() {
    log.add(0, "Epoch 0/9  ━━━━━━━━━━━━━━━ 0/100  0:00:00 • -:--:-- 0.00it/s  v_num: 0.000");
    log.add(5, "Epoch 0/9  ━━━━━╸━━━━━━━━━ 50/100 0:00:05 • 0:00:05 10.00it/s v_num: 0.000");
    log.add(10, "Epoch 0/9  ━━━━━━━━━━━━━━━ 100/100 0:00:10 • 0:00:00 10.00it/s v_num: 0.000");
    assertThat(speed().format()).isEqualTo("Lightning's rich bar");
    assertThat(speed().perSecond()).isCloseTo(10, within(1e-9));
  }

  @Test
  void theTrainerOfHuggingFaceCountsEpochsOfAKnownSize() {
    log.add(0, "***** Running training *****");
    log.add(0, "  Num examples = 1,000");
    log.add(0, "  Total train batch size (w. parallel, distributed & accumulation) = 16");
    for (int i = 1; i <= 8; i++) {
      log.add(
          2 * i,
          "{'loss': 0.69, 'grad_norm': 2.1, 'learning_rate': 4.9e-05, 'epoch': %s}"
              .formatted(0.1 * i));
    }
    assertThat(speed().format()).isEqualTo("Hugging Face Trainer");
    assertThat(speed().samplesPerSecond(null)).isCloseTo(50, within(1e-6));
    assertThat(log.samplesPerStep()).isEqualTo(16.0);
  }

  @Test
  void withoutTheSizeOfTheDataSetItsBarIsRead() {
    for (int i = 1; i <= 8; i++) {
      log.add(i, "{'loss': '0.69', 'learning_rate': '4.9e-05', 'epoch': '0.%d'}".formatted(i));
      log.add(i, "  1%%|1  | %d/375 [00:06<09:54,  2.00it/s]".formatted(10 * i));
    }
    assertThat(speed().format()).isEqualTo("tqdm");
    assertThat(speed().perSecond()).isCloseTo(10, within(1e-9));
  }

  @Test
  void theSummaryOfTheTrainerIsTheLastResort() {
    log.add(9, "{'train_runtime': 8.9, 'train_samples_per_second': 112.3, 'train_loss': 0.6}");
    assertThat(speed().samplesPerSecond(null)).isEqualTo(112.3);
  }

  @Test
  void stepsOfTheClientComeBeforeBars() {
    for (int i = 0; i <= 8; i++) {
      log.add(i, "deepcheck step " + 5 * i);
      log.add(i, "  1%%|1  | %d/375 [00:06<09:54,  2.00it/s]".formatted(i));
    }
    assertThat(speed().format()).isEqualTo("the Python client");
    assertThat(speed().perSecond()).isCloseTo(5, within(1e-9));
  }

  @Test
  void oneReadingOrNoneTellsNothing() {
    log.add(0, "Starting up. 50% of 3/4 [done]");
    log.add(1, "iter 0: loss 10.9885, time 14208.85ms, mfu -100.00%");
    assertThat(log.speed()).isNull();
    assertThat(log.lines()).isEqualTo(2);
  }
}
