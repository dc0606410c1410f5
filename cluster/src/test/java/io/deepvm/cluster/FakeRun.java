package io.deepvm.cluster;

import io.deepvm.cluster.core.Input;
import io.deepvm.cluster.core.RunFacts;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.emulation.MarketPace;
import io.deepvm.cluster.link.AgentAddress;
import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.link.Links;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.EventStore;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.shell.Coordinator;
import io.deepvm.cluster.shell.RunContext;
import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.Launch;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import io.deepvm.places.recorded.Playback;
import io.deepvm.places.recorded.RecordedCloud;
import io.deepvm.places.recorded.Revocations;
import io.deepvm.places.testing.TestTime;
import io.deepvm.simulator.Future;
import io.deepvm.simulator.policy.InPlace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A run on a clock that a test moves. It wants two spot nodes, which are granted and never report:
 * the test reports for them.
 */
final class FakeRun {

  private final Coordinator coordinator;
  private final RecordedCloud cloud;
  private final Silent silent;
  private long version;

  private FakeRun(Coordinator coordinator, RecordedCloud cloud, Silent silent) {
    this.coordinator = coordinator;
    this.cloud = cloud;
    this.silent = silent;
  }

  /** A place whose nodes are granted and never report. */
  private static final class Silent implements Cloud {

    private final Timers timers;
    private Consumer<News> news = unused -> {};

    Silent(Timers timers) {
      this.timers = timers;
    }

    void report(News fact) {
      timers.after(0, () -> news.accept(fact));
    }

    @Override
    public String name() {
      return "silent";
    }

    @Override
    public int limit() {
      return 100;
    }

    @Override
    public String prepare(Path folder) {
      return "127.0.0.1";
    }

    @Override
    public MarketView market() {
      throw new IllegalStateException("The record has the market.");
    }

    @Override
    public void open(Tenancy tenancy, Consumer<News> listener) {
      news = listener;
    }

    @Override
    public void order(Order order) {
      report(new News.Granted(order.node(), order.node()));
    }

    @Override
    public void end(String node, String reason) {
      report(new News.Gone(node, News.Cause.ENDED, null));
    }

    @Override
    public void close() {}
  }

  /** Links to agents that do not exist. */
  private static final class NoLinks implements Links {
    @Override
    public void send(String node, AgentOrders orders) {}

    @Override
    public void received(String node, long number) {}

    @Override
    public void dial(String node, AgentAddress address) {}

    @Override
    public void forget(String node) {}

    @Override
    public void close() {}
  }

  private static final class NoStore implements EventStore {
    @Override
    public void append(Logged logged) {}

    @Override
    public void sync() {}

    @Override
    public void close() {}
  }

  /** Starts a run in the folder. */
  static FakeRun start(
      Path folder,
      TestTime time,
      Future course,
      double speed,
      @Nullable Emulation emulation,
      RunListener listener)
      throws IOException {
    RunSpec spec = RunSpec.of("fake", Scene.member(folder, 1, 1)).withPatience(1e6, 0.3, 5, 1);
    Silent silent = new Silent(time);
    Playback playback =
        new Playback(course.market(), course.firstTick(), speed, new Revocations.OfMarket(), 7);
    RecordedCloud cloud = new RecordedCloud(silent, playback, time, time);
    List<Pool> pools = course.market().pools();
    RunFacts facts =
        new RunFacts(spec, pools, 100, 2, 0, new Event.Started("fake", speed, 1, 0, 0));
    RunContext context =
        new RunContext(
            cloud,
            new NoStore(),
            time,
            time,
            new InPlace(new int[] {2}, new int[] {0}),
            Scene.scenario(1, 2, 1e6),
            listener,
            ordered ->
                new Order(
                    ordered.node(),
                    ordered.node(),
                    ordered.pool(),
                    ordered.market(),
                    new Launch(List.of("agent"), Map.of())));
    Coordinator coordinator = new Coordinator(facts, List.of(), context, unused -> new NoLinks());
    if (emulation != null) {
      MarketPace pace =
          new MarketPace(
              emulation,
              cloud,
              new MarketPace.Surroundings(
                  context.scenario(),
                  time,
                  time,
                  share -> coordinator.post(new Input.Paced(share))),
              RunState.of(facts),
              1);
      coordinator.observe(pace::check);
    }
    coordinator.open(0, null);
    return new FakeRun(coordinator, cloud, silent);
  }

  /**
   * Reports that the process of a node is ready, and trains in the generation if that is above 0.
   */
  void report(String node, long generation) {
    Report.Formed formed =
        generation == 0 ? null : new Report.Formed(generation, 0, Report.Origin.FRESH);
    coordinator.status(
        new AgentStatus(
            node,
            ++version,
            "here",
            new AgentStatus.TrainingProcess(1, true, 4000, null),
            new AgentStatus.Barrier(0, 0, 0, 0, formed, null),
            new AgentStatus.Work(null, List.of(), null, 0),
            null));
  }

  /** Loses a node. */
  void lose(String node) {
    coordinator.silent(node, "it is gone");
  }

  /** Warns a node. */
  void warn(String node) {
    silent.report(new News.Noticed(node, 1e6, "a whim"));
  }

  double marketSeconds() {
    return cloud.now();
  }
}
