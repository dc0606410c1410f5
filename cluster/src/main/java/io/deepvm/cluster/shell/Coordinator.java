package io.deepvm.cluster.shell;

import io.deepvm.cluster.OutputRelay;
import io.deepvm.cluster.core.Input;
import io.deepvm.cluster.core.Machine;
import io.deepvm.cluster.core.NodeLife;
import io.deepvm.cluster.core.Now;
import io.deepvm.cluster.core.RunFacts;
import io.deepvm.cluster.core.RunMachine;
import io.deepvm.cluster.core.RunState;
import io.deepvm.cluster.link.AgentAddress;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.link.Links;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.output.PrintedLines;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Tenancy;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The coordinator's loop. It takes the inputs that wait, logs and syncs the events that follow, and
 * then acts on cloud and agents as the state asks. Everything happens on the thread of the timers.
 */
public final class Coordinator implements Links.Listener {

  /** The longest pause between two looks at the clock. */
  private static final long LONGEST_MS = 200;

  private final RunContext context;
  private final History history;
  private final Links links;
  private final CloudRequests requests;
  private final OrdersOfAgents orders;
  private final OutputRelay output;
  private final StatusGate gate = new StatusGate();
  private final Deque<Input> inbox = new ArrayDeque<>();
  private final CompletableFuture<RunStatus> end = new CompletableFuture<>();
  private final List<Consumer<RunState>> observers = new ArrayList<>();
  private RunState state;
  private boolean drains;
  private boolean changed;
  private boolean finishes;
  private long wakeNumber;

  /**
   * Makes a coordinator that goes on where the events end; {@link #open} starts it.
   *
   * @param links opens the links to the agents, which report to the coordinator
   */
  public Coordinator(
      RunFacts facts,
      List<Logged> events,
      RunContext context,
      Function<Links.Listener, Links> links) {
    this.context = context;
    this.state = RunState.of(facts, events);
    this.history = new History();
    events.forEach(history::add);
    this.links = links.apply(this);
    this.requests = new CloudRequests(context.cloud(), context.orders());
    this.orders = new OrdersOfAgents(this.links, context.listener().logs());
    this.output = new OutputRelay(context.listener());
  }

  /**
   * Takes the run over, and then opens the cloud with what the run holds.
   *
   * @param marketMs the market's time to go on from
   * @param stop a request to stop that was there already; null if there was none
   */
  public void open(long marketMs, Input.@Nullable Stop stop) throws IOException {
    take(new Input.Opened(stop), new Now(context.clock().millis(), marketMs, List.of()));
    context.store().sync();
    Tenancy tenancy = Tenancies.of(state, history, marketMs, context.orders());
    context.cloud().open(tenancy, this::receive);
    post(new Input.Tick());
  }

  /** Takes what the cloud reports; the way to an agent concerns the links alone. */
  private void receive(News news) {
    if (news instanceof News.Reachable reachable) {
      NodeLife life = state.find(reachable.node());
      if (life != null && !(life.machine() instanceof Machine.Gone)) {
        links.dial(reachable.node(), new AgentAddress(reachable.address(), reachable.proxy()));
      }
      return;
    }
    post(new Input.Cloud(news));
  }

  /** Has an observer see every state that differs from the one before. */
  public void observe(Consumer<RunState> observer) {
    observers.add(observer);
  }

  /** Returns the run's end: its status, or the failure that ended this coordinator. */
  public CompletableFuture<RunStatus> end() {
    return end;
  }

  /** Returns how the run stands now; any thread may ask. */
  public RunStatus status() {
    return history.status(context.clock().millis());
  }

  /** Queues an input; only the thread of the timers may call this. */
  public void post(Input input) {
    inbox.add(input);
    if (!drains) {
      drains = true;
      context.timers().after(0, this::drain);
    }
  }

  // --- Reports of agents ---

  @Override
  public void status(AgentStatus status) {
    if (gate.passes(status, context.clock().millis())) {
      post(new Input.Status(status));
    } else {
      context.timers().after(StatusGate.PAUSE_MS * 1000, () -> post(new Input.Tick()));
    }
  }

  @Override
  public void silent(String node, String reason) {
    post(new Input.Silent(node, reason));
  }

  @Override
  public void printed(String node, PrintedLines lines) {
    post(new Input.Printing());
    output.received(
        node, lines, () -> context.timers().after(0, () -> links.received(node, lines.number())));
  }

  // --- The loop ---

  private void drain() {
    drains = false;
    if (end.isDone()) {
      return;
    }
    try {
      gate.release(context.clock().millis()).forEach(held -> take(new Input.Status(held)));
      for (Input next = inbox.poll(); next != null; next = inbox.poll()) {
        take(next);
      }
      if (changed) {
        // What follows from an event must never be older than the event on disk.
        context.store().sync();
        orders.send(state);
        observers.forEach(observer -> observer.accept(state));
        changed = false;
      }
      long again = requests.send(state, context.clock().millis());
      if (isOver()) {
        finish();
      } else {
        arm(Math.min(again, RunMachine.wakeMs(state)));
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  private boolean isOver() {
    return state.phase().now().isEnd() || state.is(RunPhase.INTERRUPTED);
  }

  private void take(Input input) {
    take(input, now());
  }

  private void take(Input input, Now now) {
    RunMachine.Decision decision = RunMachine.step(state, input, now);
    for (Logged logged : decision.events()) {
      append(logged);
    }
    state = decision.state();
    if (decision.asksPolicy()) {
      long nowMs = context.clock().millis();
      MarketView market = context.cloud().market();
      PolicyView view = new PolicyView(state, history.status(), market, context.scenario(), nowMs);
      context.policy().decide(view, decision.tick());
      if (!view.wishes().isEmpty()) {
        take(new Input.Wishes(view.wishes()));
      }
    }
  }

  private void append(Logged logged) {
    changed = true;
    history.add(logged);
    try {
      context.store().append(logged);
    } catch (IOException e) {
      throw new UncheckedStoreException(e);
    }
    context.listener().accept(logged);
  }

  private Now now() {
    MarketView market = context.cloud().market();
    List<Integer> capacity = new ArrayList<>();
    for (int pool = 0; pool < market.pools().size(); pool++) {
      capacity.add(market.spotCapacity(pool).orElse(-1));
    }
    return new Now(context.clock().millis(), market.marketMs(), capacity);
  }

  /** Wakes the machine when it asked for it, or a little earlier. */
  private void arm(long wakeMs) {
    long number = ++wakeNumber;
    long pause = Math.max(1, Math.min(LONGEST_MS, wakeMs - context.clock().millis()));
    context
        .timers()
        .after(
            pause * 1000,
            () -> {
              if (number == wakeNumber && !drains) {
                post(new Input.Tick());
              }
            });
  }

  // --- The end ---

  private void finish() {
    if (finishes) {
      // Closing may take a while, in which inputs still arrive.
      return;
    }
    finishes = true;
    RunStatus status = history.status();
    context
        .timers()
        .aside(
            () -> {
              close();
              end.complete(status);
            });
  }

  /** Ends this coordinator and leaves the nodes as they are: another one may go on with them. */
  public void fail(Throwable cause) {
    try {
      append(
          new Logged(
              context.clock().millis(),
              history.status().marketMs(),
              new Event.Broken(String.valueOf(cause))));
      context.store().sync();
    } catch (IOException | RuntimeException e) {
      cause.addSuppressed(e);
    }
    close();
    end.completeExceptionally(cause);
  }

  private void close() {
    output.close();
    links.close();
    context.cloud().close();
  }

  /** The event log cannot be written. */
  private static final class UncheckedStoreException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UncheckedStoreException(IOException cause) {
      super("The log of the run cannot be written.", cause);
    }
  }
}
