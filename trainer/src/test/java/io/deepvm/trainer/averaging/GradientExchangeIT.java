package io.deepvm.trainer.averaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Role;
import io.deepvm.trainer.job.TrainingJob.Wire;
import io.deepvm.trainer.member.AgentChannel;
import io.deepvm.trainer.member.Conversation;
import io.deepvm.trainer.member.Peers;
import io.deepvm.trainer.member.Session;
import io.deepvm.trainer.vector.Floats;
import io.deepvm.transport.Security;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GradientExchangeIT {

  private static final int LENGTH = 1_234_567;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A member without training: it only sums. */
  private static final class Summing implements Conversation, AutoCloseable {

    private final List<String> places;
    private final int rank;
    private final AtomicLong crossed;
    private final AgentChannel agent =
        new AgentChannel(
            InputStream.nullInputStream(),
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
            () -> {});
    private final Peers peers =
        new Peers(
            agent,
            "it",
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Security.none());
    private final Session session = new Session(agent, peers, 1);
    private final GradientExchange exchange;
    private final ByteBuffer mine = Floats.allocate(LENGTH);
    private final List<String> heard = new CopyOnWriteArrayList<>();

    Summing(List<String> places, int rank, Wire wire, AtomicLong crossed, float size) {
      this.places = places;
      this.rank = rank;
      this.crossed = crossed;
      exchange = new GradientExchange(peers, LENGTH, wire);
      Random random = new Random(rank);
      for (int i = 0; i < LENGTH; i++) {
        mine.asFloatBuffer().put(i, size * (random.nextFloat() - 0.5f));
      }
    }

    @Override
    public byte[] answer(byte[] question) {
      return new byte[0];
    }

    @Override
    public ByteBuffer[] place(long generation, String name) throws IOException {
      ByteBuffer[] place = exchange.place(generation, name);
      heard.add("begins " + name);
      int from = Integer.parseInt(name.split("/", -1)[2]);
      if (!places.get(from).equals(places.get(rank))) {
        crossed.addAndGet(place[0].remaining());
      }
      return place;
    }

    @Override
    public void arrived(long generation, String name, long offset, int length) {
      exchange.arrived(generation, name, offset, length);
    }

    @Override
    public void received(long generation, String name) {
      exchange.received(generation, name);
      heard.add("came " + name);
    }

    @Override
    public ByteBuffer[] find(String name) throws IOException {
      throw new IOException("There is no " + name + ".");
    }

    @Override
    public void close() {
      peers.close();
    }
  }

  private static List<Summing> formed(
      List<String> places, Wire wire, AtomicLong crossed, float size) throws IOException {
    List<Summing> all = new ArrayList<>();
    List<Member> members = new ArrayList<>();
    for (int rank = 0; rank < places.size(); rank++) {
      Summing one = new Summing(places, rank, wire, crossed, size);
      all.add(one);
      int port = one.peers.start(one);
      members.add(new Member("n" + rank, Role.WORKER, "127.0.0.1", port, places.get(rank)));
    }
    for (Summing one : all) {
      one.exchange.form(1, one.rank, places);
      one.peers.form(new Order.Form(1, one.rank, members), other -> true);
    }
    return all;
  }

  /** Sums twice and returns what each member ended with and the bytes between places. */
  private static Result sums(List<String> places, Wire wire, float size) throws Exception {
    AtomicLong crossed = new AtomicLong();
    List<Summing> all = formed(places, wire, crossed, size);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<float[]> sums = new ArrayList<>();
      for (long step = 0; step < 2; step++) {
        sums.clear();
        for (Summing one : all) {
          one.exchange.expect(step);
        }
        List<Future<float[]>> running = new ArrayList<>();
        for (Summing one : all) {
          running.add(
              threads.submit(
                  () -> {
                    one.exchange.begin(one.mine);
                    one.exchange.finish(one.session);
                    float[] sum = new float[LENGTH];
                    one.exchange.sum().get(sum);
                    return sum;
                  }));
        }
        for (Future<float[]> one : running) {
          sums.add(one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
      }
      return new Result(sums, all.stream().map(one -> one.mine).toList(), crossed.get() / 2);
    } finally {
      threads.shutdownNow();
      all.forEach(Summing::close);
    }
  }

  private record Result(List<float[]> sums, List<ByteBuffer> vectors, long crossed) {}

  /** Sums within places in the order of ranks, then over the places. */
  private static float[] expected(List<String> places, List<ByteBuffer> vectors) {
    Map<String, float[]> within = new LinkedHashMap<>();
    for (int rank = 0; rank < places.size(); rank++) {
      FloatBuffer vector = vectors.get(rank).asFloatBuffer();
      float[] before = within.get(places.get(rank));
      float[] sum = new float[LENGTH];
      for (int i = 0; i < LENGTH; i++) {
        sum[i] = before == null ? vector.get(i) : before[i] + vector.get(i);
      }
      within.put(places.get(rank), sum);
    }
    float[] total = null;
    for (float[] sum : within.values()) {
      if (total == null) {
        total = sum;
        continue;
      }
      for (int i = 0; i < LENGTH; i++) {
        total[i] += sum[i];
      }
    }
    return total == null ? new float[0] : total;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a", "a a", "a b", "a a a", "a b a b", "a b b c", "a a a b b", "a b c", "b a a a"})
  void allEndWithTheSameBitsAndPlacesExchangeEachByteOnce(String where) throws Exception {
    List<String> places = List.of(where.split(" ", -1));
    Result result = sums(places, Wire.FP32, 1);
    float[] expected = expected(places, result.vectors);
    for (float[] sum : result.sums) {
      assertThat(Arrays.equals(sum, expected)).isTrue();
    }
    long others = places.stream().distinct().count() - 1;
    assertThat(result.crossed).isEqualTo(2 * others * LENGTH * Float.BYTES);
  }

  @Test
  void theSumOfALateMemberComesAfterItsContribution() throws Exception {
    List<Summing> all = formed(List.of("a", "a"), Wire.FP32, new AtomicLong(), 1);
    Summing early = all.get(0);
    Summing late = all.get(1);
    try {
      all.forEach(one -> one.exchange.expect(0));
      early.exchange.begin(early.mine);
      assertThat(late.agent.await(1, PATIENCE, () -> late.heard.contains("came c/0/0/1"))).isTrue();
      late.exchange.begin(late.mine);
      early.exchange.finish(early.session);
      assertThat(early.heard)
          .containsExactly("begins c/0/1/0", "came c/0/1/0", "begins s/0/1/1", "came s/0/1/1");
    } finally {
      all.forEach(Summing::close);
    }
  }

  @ParameterizedTest
  @ValueSource(floats = {1, 1e6f, 1e-8f})
  void halvesAreTheSameForAllAndCloseToTheSum(float size) throws Exception {
    List<String> places = List.of("a", "b", "a", "b", "b");
    Result result = sums(places, Wire.FP16, size);
    float[] expected = expected(places, result.vectors);
    for (float[] sum : result.sums) {
      assertThat(Arrays.equals(sum, result.sums.get(0))).isTrue();
    }
    for (int i = 0; i < LENGTH; i++) {
      assertThat(Math.abs(result.sums.get(0)[i] - expected[i])).isLessThan(0.01f * size);
    }
  }
}
