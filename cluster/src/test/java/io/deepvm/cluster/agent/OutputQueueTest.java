package io.deepvm.cluster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.output.LogRanks;
import io.deepvm.cluster.output.PrintedLine;
import io.deepvm.cluster.output.PrintedLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OutputQueueTest {

  private final OutputQueue queue = new OutputQueue();

  private static PrintedLine line(int rank, String text) {
    return new PrintedLine(rank, PrintedLine.Pipe.OUT, text);
  }

  private static List<String> texts(PrintedLines lines) {
    return lines.lines().stream().map(PrintedLine::text).toList();
  }

  private PrintedLines next() {
    return Objects.requireNonNull(queue.next());
  }

  /** Sends and receives until nothing is left. */
  private List<PrintedLines> drain() {
    List<PrintedLines> all = new ArrayList<>();
    for (PrintedLines next = queue.next(); next != null; next = queue.next()) {
      all.add(next);
      boolean unused = queue.received(next.number());
    }
    return all;
  }

  @Test
  void linesWaitUntilTheCoordinatorWantsThem() {
    assertThat(queue.add(line(0, "early"))).isFalse();
    assertThat(queue.next()).isNull();
    assertThat(queue.want(LogRanks.ALL)).isTrue();
    assertThat(texts(next())).containsExactly("early");
  }

  @Test
  void onlyTheRanksThatAreWantedAreSent() {
    boolean unused = queue.add(line(1, "before"));
    assertThat(queue.want(LogRanks.RANK0)).isFalse();
    assertThat(queue.add(line(1, "other"))).isFalse();
    assertThat(queue.add(line(0, "first"))).isTrue();
    assertThat(drain()).hasSize(1).allSatisfy(l -> assertThat(texts(l)).containsExactly("first"));
    assertThat(queue.want(LogRanks.NONE)).isFalse();
    assertThat(queue.add(line(0, "unseen"))).isFalse();
    assertThat(queue.next()).isNull();
  }

  @Test
  void nothingElseIsUnderwayUntilTheCoordinatorHasAnswered() {
    boolean unused = queue.want(LogRanks.ALL);
    assertThat(queue.add(line(0, "a"))).isTrue();
    PrintedLines first = next();
    assertThat(queue.add(line(0, "b"))).isFalse();
    assertThat(queue.add(line(0, "c"))).isFalse();
    assertThat(queue.next()).isNull();
    // a coordinator that comes back gets it again
    assertThat(queue.underway()).isEqualTo(first);
    assertThat(queue.received(first.number() + 1)).isFalse();
    assertThat(queue.received(first.number())).isTrue();
    assertThat(texts(next())).containsExactly("b", "c");
  }

  @Test
  void aFloodKeepsTheNewestLinesInOrderAndCountsTheOthers() {
    boolean unused = queue.want(LogRanks.ALL);
    int many = 100_000;
    IntStream.range(0, many).forEach(i -> queue.add(line(0, "line %06d".formatted(i))));
    List<PrintedLines> all = drain();
    List<String> kept = all.stream().flatMap(lines -> texts(lines).stream()).toList();
    long dropped = all.stream().mapToLong(PrintedLines::leftOut).sum();
    assertThat(dropped + kept.size()).isEqualTo(many);
    assertThat(kept).isSorted().endsWith("line 099999");
    assertThat(kept.get(0)).isEqualTo("line %06d".formatted(dropped));
    // what was dropped is said where it is missing
    assertThat(all.get(0).leftOut()).isEqualTo(dropped);
    assertThat(kept.stream().mapToInt(String::length).sum()).isLessThan(OutputQueue.MOST_CHARS);
    assertThat(all).allSatisfy(lines -> assertThat(lines.lines().size()).isLessThan(1000));
  }

  @Test
  void theEndDoesNotWaitForACoordinatorThatWantsNothing() throws InterruptedException {
    boolean unused = queue.add(line(0, "nobody asked"));
    queue.awaitEmpty(Duration.ofDays(1));
    boolean none = queue.want(LogRanks.NONE);
    assertThat(none).isFalse();
    queue.awaitEmpty(Duration.ofDays(1));
  }
}
