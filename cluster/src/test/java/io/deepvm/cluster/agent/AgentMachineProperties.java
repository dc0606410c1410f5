package io.deepvm.cluster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cluster.link.AgentOrders;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Order;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.cluster.output.LogRanks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/** Orders are lost, late and repeated, and the process does what it likes. */
class AgentMachineProperties {

  private static final String NODE = "n1";

  @Property(tries = 2_000)
  void neverTwoProcessesNeverAnOlderGenerationAlwaysAWakeUp(
      @ForAll long seed, @ForAll boolean member, @ForAll @IntRange(min = 1, max = 400) int events) {
    new World(seed, member).live(events);
  }

  /** A coordinator, a lossy network, one agent, and an operating system that checks it. */
  private static final class World implements AgentAction.Visitor {

    private final Random random;
    private final boolean member;
    private final AgentMachine machine;
    private final List<AgentOrders> underway = new ArrayList<>();
    private long nowMs;
    private long version;
    private long generation;
    private int start;
    private int kill;
    private @Nullable String stop;
    private AgentOrders.@Nullable Formation formation;
    private AgentOrders.@Nullable NoticeOrder notice;

    private int running;
    private int launches;
    private long toldGeneration;
    private boolean noticeFile;
    private boolean over;

    World(long seed, boolean member) {
      this.random = new Random(seed);
      this.member = member;
      Work work =
          new Work(
              List.of("x"),
              member ? Work.Kind.MEMBER : Work.Kind.COMMAND,
              Map.of(),
              "",
              0,
              "TERM",
              new Work.Timeouts(3, 10, 2, 5, 8).withSilence(4));
      machine = new AgentMachine(NODE, "h", work, random.nextInt(3_000), 0);
    }

    void live(int events) {
      for (int i = 0; i < events; i++) {
        nowMs += random.nextInt(4) == 0 ? random.nextInt(3_000) : random.nextInt(50);
        long version = machine.status().version();
        if (machine.nextWakeMs() <= nowMs) {
          take(new AgentInput.Woke());
        } else {
          happen();
        }
        assertThat(machine.status().version()).isGreaterThanOrEqualTo(version);
        assertThat(machine.isOver()).isEqualTo(over);
        if (!over) {
          assertThat(machine.nextWakeMs()).isGreaterThan(nowMs).isLessThan(Long.MAX_VALUE);
        }
      }
    }

    private void happen() {
      switch (random.nextInt(10)) {
        case 0, 1 -> change();
        case 2, 3, 4 -> deliver();
        case 5 -> take(new AgentInput.Reported(someProcess(), someReport()));
        case 6 -> take(new AgentInput.Wrote(someProcess()));
        case 7 -> endSomeProcess();
        case 8 -> take(new AgentInput.PortPicked(generation - random.nextInt(2), 7_000));
        default -> take(new AgentInput.Started(someProcess()));
      }
    }

    private void change() {
      version++;
      switch (random.nextInt(6)) {
        case 0 -> start = launches + 1;
        case 1 -> kill = random.nextInt(launches + 1);
        case 2 -> {
          boolean mine = random.nextInt(20) > 0;
          int port = 1 + random.nextInt(2);
          formation =
              new AgentOrders.Formation(
                  ++generation,
                  List.of(
                      new Member(random.nextBoolean() ? "n0" : NODE, Role.WORKER, "h", port),
                      new Member(mine ? NODE : "n2", Role.WORKER, "h", port)),
                  0,
                  0);
        }
        case 3 -> {
          AgentOrders.Formation now = formation;
          if (now != null) {
            formation = new AgentOrders.Formation(now.number(), now.members(), 0, 7_000);
          }
        }
        case 4 ->
            notice = random.nextBoolean() ? null : new AgentOrders.NoticeOrder((int) version, 120);
        default -> stop = random.nextInt(30) == 0 ? "over" : stop;
      }
      underway.add(
          new AgentOrders(
              1 + version / 50,
              version,
              formation,
              new AgentOrders.ProcessOrders(start, kill, "hangs"),
              notice,
              stop,
              LogRanks.NONE));
    }

    /** Delivers any of the orders sent so far, newest or not, and perhaps again later. */
    private void deliver() {
      if (!underway.isEmpty()) {
        int back = Math.min(underway.size(), 1 + random.nextInt(4));
        take(new AgentInput.Ordered(underway.get(underway.size() - back)));
      }
    }

    private int someProcess() {
      return random.nextInt(4) == 0 ? random.nextInt(launches + 2) : launches;
    }

    private Report someReport() {
      return switch (random.nextInt(4)) {
        case 0, 1 -> new Report.Ready(1 + random.nextInt(2));
        case 2 -> new Report.Formed(toldGeneration, 0, Report.Origin.KEPT);
        default -> new Report.Saved(version, "DURABLE", "");
      };
    }

    /** Ends the process that runs, or repeats the end of one that is gone. */
    private void endSomeProcess() {
      int process = random.nextInt(4) == 0 && launches > 1 ? launches - 1 : running;
      if (process > 0) {
        if (process == running) {
          running = 0;
        }
        take(new AgentInput.Ended(process, random.nextInt(3), "", null));
      }
    }

    private void take(AgentInput input) {
      List<AgentAction> actions = machine.take(input, nowMs);
      if (over) {
        assertThat(actions).isEmpty();
      }
      actions.forEach(action -> action.accept(this));
    }

    @Override
    public void launch(AgentAction.Launch action) {
      assertThat(running).as("the process that runs when another is started").isZero();
      assertThat(action.process()).isEqualTo(launches + 1);
      assertThat(action.generation() == null).isEqualTo(member);
      if (action.generation() != null) {
        assertThat(action.generation().number()).isGreaterThan(toldGeneration);
        toldGeneration = action.generation().number();
      }
      launches++;
      running = launches;
    }

    @Override
    public void tell(AgentAction.Tell action) {
      assertThat(member).isTrue();
      assertThat(action.process()).isEqualTo(launches);
      if (action.order() instanceof Order.Form form) {
        assertThat(form.generation()).isGreaterThan(toldGeneration);
        assertThat(form.members().get(form.rank()).node()).isEqualTo(NODE);
        toldGeneration = form.generation();
      }
    }

    @Override
    public void signal(AgentAction.Signal action) {
      assertThat(member).isFalse();
      assertThat(action.process()).isEqualTo(launches);
    }

    @Override
    public void stop(AgentAction.Stop action) {
      assertThat(action.process()).isEqualTo(launches);
    }

    @Override
    public void kill(AgentAction.Kill action) {
      assertThat(action.process()).isEqualTo(launches);
    }

    @Override
    public void writeNotice(AgentAction.WriteNotice action) {
      noticeFile = true;
    }

    @Override
    public void deleteNotice(AgentAction.DeleteNotice action) {
      assertThat(noticeFile).isTrue();
      noticeFile = false;
    }

    @Override
    public void pickPort(AgentAction.PickPort action) {
      assertThat(member).isFalse();
      assertThat(running).as("the command that runs when its port is picked").isZero();
    }

    @Override
    public void end(AgentAction.End action) {
      assertThat(over).isFalse();
      over = true;
    }
  }
}
