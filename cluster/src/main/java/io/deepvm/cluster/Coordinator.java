package io.deepvm.cluster;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.catalog.Market;
import io.deepvm.cluster.agent.Work;
import io.deepvm.cluster.keeper.Generation;
import io.deepvm.cluster.keeper.Keeper;
import io.deepvm.cluster.keeper.Registration;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.Logged;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.cluster.member.Member;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.member.Role;
import io.deepvm.cluster.wire.AgentLink;
import io.deepvm.cluster.wire.Command;
import io.deepvm.cluster.wire.Message;
import io.deepvm.units.BadInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds a run together: rents nodes as the policy says, forms a generation whenever members come or
 * go, and writes down everything that happens before it acts on it. All that changes a run happens
 * in one thread.
 */
final class Coordinator implements AutoCloseable {

  private static final long HERE_MS = 500;
  private static final long CONTROL_MS = 200;
  private static final long STOP_POLL_MS = 20;
  private static final long ALIVE_MS = 5_000;
  private static final double FINISH_SECONDS = 10;
  private static final double LAST_WORDS_SECONDS = 0.5;
  private static final double COME_BACK_SECONDS = 2;

  /** So many nodes that are gone before they were heard, one after the other, are no accident. */
  private static final int MOST_UNHEARD = 5;

  private final RunFolder folder;
  private final RunSpec spec;
  private final Setting setting;
  private final Desk desk;
  private final History history;
  private final Keeper keeper;
  private final String token;
  private final Provider provider;
  private final LiveCluster cluster;
  private final MarketPlayer player;
  private final Steps steps = new Steps(this::log);
  private final Blame blame;
  private final Loop loop;
  private final ExecutorService helpers =
      Executors.newCachedThreadPool(task -> Loop.daemon("run-helper", task));
  private final CompletableFuture<RunStatus> end = new CompletableFuture<>();

  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Set<String> adopted = new HashSet<>();
  private long loggedMs;
  private int rentals;
  private int unheard;
  private int restarts;
  private boolean formPlanned;

  // The members are right, but what they were told last does not hold for all of them.
  private boolean formDue;
  private long firstReadyNanos;
  private boolean deciding;

  // A member has done the last step, so nobody is needed to take a place.
  private boolean finishing;
  private boolean decideAgain;
  private @Nullable RunState outcome;
  private String outcomeReason = "";
  private long stopByNanos;
  private @Nullable Thread hook;

  private Coordinator(RunFolder folder, Setting setting, Desk desk) throws IOException {
    this.folder = folder;
    this.spec = folder.spec();
    this.setting = setting;
    this.desk = desk;
    this.history = desk.history();
    this.keeper = desk.keeper();
    this.token = folder.token();
    this.provider = desk.provider();
    this.loop = new Loop(desk.log(), this::crash);
    this.player = new MarketPlayer(this, setting, spec.name());
    this.cluster = new LiveCluster(this, setting, player);
    this.blame = new Blame(this);
  }

  /** Takes the folder's run over, new or old, and lets it run. */
  static Coordinator start(RunFolder folder, Setting setting)
      throws IOException, InterruptedException {
    Desk desk = Desk.open(folder, setting.provider());
    try {
      Coordinator coordinator = new Coordinator(folder, setting, desk);
      coordinator.begin();
      return coordinator;
    } catch (IOException | RuntimeException e) {
      desk.close();
      throw e;
    }
  }

  private void begin() throws IOException {
    if (desk.server() != null) {
      keeper.claimRoot();
      // We hold the folder, so whoever led on this server is dead.
      keeper.forgetLeader();
    }
    keeper.claimRun();
    if (!keeper.lead(Desk.KEEPER_PATIENCE, () -> loop.post(this::deposed))) {
      throw new BadInput(
          "Another coordinator leads the run %s at %s.".formatted(spec.name(), desk.address()),
          "Maybe give this run another name, or stop the other one.");
    }
    keeper.putSpec(JsonMapper.builder().build().writeValueAsString(spec.work()));
    Generation told = keeper.generation();
    // Whoever led before may have died after it wrote one down and before it told the members.
    formDue = history.generation() > (told == null ? 0 : told.number());
    hook = new Thread(this::abandon, "run-hook");
    Runtime.getRuntime().addShutdownHook(hook);
    loop.post(this::open);
    loop.every(HERE_MS, () -> nodes.values().forEach(node -> node.tell(new Command.Here())));
    loop.every(CONTROL_MS, this::control);
    loop.every(Steps.LOGGED_MS, steps::flush);
  }

  /** Starts afresh, or goes on from where the log ends. */
  private void open() throws IOException {
    boolean fresh = history.status().startedMs() == 0;
    player.open(fresh ? setting.clock().millis() : history.status().startedMs());
    if (fresh) {
      double grain = setting.scenario().billing().granularitySeconds();
      double least = setting.scenario().billing().minimumSeconds();
      log(
          new Event.Started(
              spec.name(),
              setting.speed(),
              Math.round(grain * 1000),
              Math.round(least * 1000),
              setting.scenario().anchorsPerHour().micros()));
    } else {
      List<NodeStatus> living =
          Survivors.adopt(
              history,
              spec,
              provider,
              setting.clock().millis(),
              name -> () -> loop.post(() -> vanished(name)),
              this::log);
      log(new Event.Resumed("a new coordinator took over"));
      restarts = history.restarts();
      rentals = history.status().nodes().size();
      adopt(living);
      if (history.state() == RunState.STOPPING) {
        // Whatever is left of it, nothing is rented or formed any more.
        conclude(history.outcome(), history.status().reason());
        return;
      }
      awaitAgents();
    }
    keeper.watchNodes(
        there -> loop.post(() -> registered(there)), gone -> loop.post(() -> unregistered(gone)));
    rentServers();
    player.begin();
  }

  /** Takes over the nodes that are there. */
  private void adopt(List<NodeStatus> held) {
    for (NodeStatus status : held) {
      Node node =
          new Node(
              new Event.Rented(
                  status.node(),
                  status.role(),
                  status.pool(),
                  status.poolName(),
                  status.market(),
                  0),
              status.rentedMs());
      boolean noticed = status.state() == NodeState.NOTICED && isMember(node);
      if (status.state() == NodeState.TRAINING
          || (noticed && history.state() == RunState.TRAINING)) {
        node.trains = history.generation();
      } else if (status.state() == NodeState.BOOTING && isMember(node)) {
        // Its process has ended since the generation was formed.
        formDue = true;
      } else if (isMember(node)) {
        blame.asked(node);
      }
      nodes.put(node.name(), node);
      adopted.add(node.name());
    }
    for (NodeStatus status : held) {
      if (status.state() == NodeState.REQUESTED) {
        turn(found(status.node()), NodeState.BOOTING, "");
      }
    }
  }

  /** Forms nothing before all nodes that were taken over are heard, or late. */
  private void awaitAgents() {
    formIfChanged();
    loop.after(
        spec.work().timeouts().sessionSeconds() + COME_BACK_SECONDS,
        () -> {
          List<String> silent = List.copyOf(adopted);
          adopted.clear();
          for (String name : silent) {
            if (history.state(name) != NodeState.BOOTING) {
              lose(found(name), "its agent did not come back to the coordinator");
            }
          }
          formIfChanged();
        });
    for (Node node : living()) {
      watchBoot(node);
    }
  }

  /** Returns the node of this name; null when there never was one. */
  @Nullable Node node(String name) {
    return nodes.get(name);
  }

  private Node found(String name) {
    Node node = nodes.get(name);
    if (node == null) {
      throw new IllegalStateException("There is no node " + name + ".");
    }
    return node;
  }

  private void watchBoot(Node node) {
    loop.after(
        spec.bootSeconds(),
        () -> {
          if (lives(node) && node.registration == null) {
            fail(node, "nothing was heard from it within %s s".formatted(spec.bootSeconds()));
          }
        });
  }

  // --- Nodes ---

  /** Rents a node if the provider has room, and returns whether it did. */
  boolean rent(int pool, Market market, Role role) {
    long held = nodes.values().stream().filter(this::lives).count();
    if (held >= provider.limit()) {
      log(
          new Event.Refused(
              pool,
              market,
              1,
              0,
              "the provider has room for %d nodes".formatted(provider.limit())));
      return false;
    }
    rentals++;
    String name = "n" + rentals;
    // A plan's parameter servers are among its anchors, which are paid for as such.
    boolean paid = role == Role.SERVER && setting.scenario().anchors() > 0;
    Event.Rented rented =
        new Event.Rented(
            name,
            role,
            pool,
            setting.market().pools().get(pool).toString(),
            market,
            paid ? 0 : player.microsPerHour(pool, market));
    Node node = new Node(rented, player.marketMs());
    nodes.put(name, node);
    log(rented);
    // A crash between the two must not leave a node that nobody knows of.
    sync();
    NodeRequest request =
        new NodeRequest(
            spec.name(),
            name,
            role,
            setting.market().pools().get(pool),
            market,
            desk.address(),
            spec.work().timeouts().sessionSeconds());
    try {
      String handle = provider.rent(request, () -> loop.post(() -> vanished(name)));
      log(new Event.Granted(name, handle));
      turn(node, NodeState.BOOTING, "");
    } catch (IOException e) {
      turn(node, NodeState.FAILED, String.valueOf(e.getMessage()));
      conclude(
          RunState.FAILED, "The node %s could not be started: %s".formatted(name, e.getMessage()));
      return false;
    }
    player.rented(node);
    watchBoot(node);
    return true;
  }

  /** Rents the nodes that keep parameters and are not there: policies rent workers only. */
  private void rentServers() {
    long there = living().stream().filter(node -> node.rented.role() == Role.SERVER).count();
    for (long i = there; i < spec.servers(); i++) {
      rent(spec.serverPool(), Market.ON_DEMAND, Role.SERVER);
    }
  }

  /** Gives a node back: its process may end in order, but it counts no more. */
  void release(Node node) {
    turn(node, NodeState.RELEASED, "given back");
    node.tell(new Command.Stop("the node is given back"));
    loop.after(spec.work().timeouts().stopSeconds() + 1, () -> take(node));
    formIfChanged();
  }

  /** Takes the node away as a market does: what follows is noticed, not known. */
  void strike(Node node, String reason) {
    if (lives(node)) {
      node.taken = reason;
      log(new Event.Taken(node.name(), reason));
      take(node);
    }
  }

  /** Tells a node that it will be taken. */
  void notice(Node node, double leadSeconds, String reason) {
    NodeState state = history.state(node.name());
    if (state == null || !state.mayTurn(NodeState.NOTICED)) {
      return;
    }
    turn(node, NodeState.NOTICED, reason);
    node.tell(new Command.Notice(leadSeconds));
  }

  /** Takes a notice back that did not come true. */
  void spare(Node node) {
    if (history.state(node.name()) == NodeState.NOTICED) {
      if (node.left) {
        node.left = false;
        node.tell(new Command.Restart());
      }
      NodeState back =
          !node.ready()
              ? NodeState.BOOTING
              : node.trains == history.generation() && node.trains > 0
                  ? NodeState.TRAINING
                  : NodeState.READY;
      turn(node, back, "the notice did not come true");
      node.tell(new Command.Spare());
      planForm();
    }
  }

  /** Goes on without a node whose process ended after a notice; it is taken when its time comes. */
  void leave(Node node) {
    node.left = true;
    node.processEnded();
    formIfChanged();
  }

  private void take(Node node) {
    helpers.execute(() -> provider.end(node.name()));
  }

  boolean lives(Node node) {
    NodeState state = history.state(node.name());
    return state != null && !state.isEnd();
  }

  List<Node> living() {
    return nodes.values().stream().filter(this::lives).toList();
  }

  private void registered(Registration registration) {
    Node node = nodes.get(registration.node());
    if (node == null || !lives(node)) {
      // Whoever counts as lost does not come back under its name.
      return;
    }
    unheard = 0;
    String name = node.name();
    boolean back = adopted.remove(name) && adopted.isEmpty();
    Registration before = node.registration;
    node.registration = registration;
    if (before == null) {
      node.linked(
          AgentLink.open(
              name,
              registration.host(),
              registration.agentPort(),
              token,
              message -> loop.post(() -> heard(node, message)),
              () -> loop.post(() -> lose(node, "nobody listens at its agent's port"))));
    }
    NodeState state = history.state(name);
    if (registration.ready() && state == NodeState.BOOTING) {
      turn(node, NodeState.READY, "");
      planForm();
      decide(false);
    } else if (!registration.ready() && (state == NodeState.READY || state == NodeState.TRAINING)) {
      turn(node, NodeState.BOOTING, "its process ended");
      node.processEnded();
      formIfChanged();
    } else if (before != null
        && before.incarnation() != registration.incarnation()
        && isMember(node)) {
      // It ended and was started again before we saw it: the generation has the old one.
      node.processEnded();
      formAnew();
    } else if (back) {
      formIfChanged();
    }
  }

  private void unregistered(String name) {
    Node node = nodes.get(name);
    if (node != null) {
      node.gone = true;
      lose(node, "its agent's session ended");
    }
  }

  private void vanished(String name) {
    Node node = nodes.get(name);
    if (node == null) {
      return;
    }
    node.gone = true;
    // Adopted ones were heard by the coordinator before this one.
    boolean early = node.registration == null && !adopted.contains(name);
    if (early && lives(node) && node.taken == null && outcome == null) {
      unheard++;
    }
    if (unheard >= MOST_UNHEARD) {
      fail(node, "it ended before it was heard, as the %d before it".formatted(unheard - 1));
    } else {
      lose(node, "the node is gone");
    }
  }

  void lose(Node node, String how) {
    if (!lives(node) || outcome != null) {
      return;
    }
    steps.flush();
    String taken = node.taken;
    turn(node, NodeState.LOST, taken == null ? how : taken);
    node.hangUp();
    adopted.remove(node.name());
    take(node);
    formIfChanged();
    rentServers();
    decide(false);
  }

  /** A node that never got as far as to train: the next one would hardly do better. */
  private void fail(Node node, String why) {
    if (!lives(node) || outcome != null) {
      return;
    }
    turn(node, NodeState.FAILED, why);
    node.hangUp();
    take(node);
    conclude(RunState.FAILED, "The node %s failed: %s.".formatted(node.name(), why));
  }

  // --- Generations ---

  /** Forms a generation soon, so that nodes that come up together join together. */
  private void planForm() {
    if (formPlanned) {
      return;
    }
    formPlanned = true;
    if (firstReadyNanos == 0) {
      firstReadyNanos = System.nanoTime();
    }
    loop.after(spec.joinSeconds(), this::plannedForm);
  }

  private void plannedForm() {
    boolean others =
        nodes.values().stream()
            .map(node -> history.state(node.name()))
            .anyMatch(state -> state == NodeState.REQUESTED || state == NodeState.BOOTING);
    double waited = (System.nanoTime() - firstReadyNanos) / 1e9;
    if (history.generation() == 0 && others && waited < spec.firstSeconds()) {
      loop.after(spec.joinSeconds(), this::plannedForm);
      return;
    }
    formPlanned = false;
    formNow();
  }

  private void formIfChanged() {
    if (history.generation() > 0) {
      formNow();
    } else if (!eligible().isEmpty()) {
      planForm();
    }
  }

  private void formNow() {
    if (outcome == null && !finishing && adopted.isEmpty()) {
      List<Node> next = eligible();
      // While the run waits nobody trains, so those who did are as good as new ones.
      if (formDue
          || history.state() == RunState.WAITING
          || !names(next).equals(history.members())
          || changed(next)) {
        form(next);
      }
    }
  }

  /** Forms the next generation, if only with the same members. */
  void formAnew() {
    formDue = true;
    formNow();
  }

  /** Whether a member is another process than the one the generation has. */
  private boolean changed(List<Node> next) {
    return next.stream().anyMatch(node -> node.trains == 0) && history.state() == RunState.TRAINING;
  }

  /** Returns who can be a member: those who are keep their order, the others follow. */
  private List<Node> eligible() {
    List<Node> next = new ArrayList<>();
    for (String name : history.members()) {
      Node node = nodes.get(name);
      if (node != null && lives(node) && node.ready()) {
        next.add(node);
      }
    }
    for (Node node : nodes.values()) {
      if (lives(node)
          && node.ready()
          && history.state(node.name()) != NodeState.NOTICED
          && !history.members().contains(node.name())) {
        next.add(node);
      }
    }
    return next;
  }

  private static List<String> names(List<Node> list) {
    return list.stream().map(Node::name).toList();
  }

  private void form(List<Node> next) {
    steps.flush();
    long workers = next.stream().filter(n -> n.rented.role() == Role.WORKER).count();
    if (workers < spec.minWorkers()
        || next.stream().filter(n -> n.rented.role() == Role.SERVER).count() < spec.servers()) {
      if (history.state() != RunState.WAITING) {
        turn(RunState.WAITING, "%d workers are too few".formatted(workers));
      }
      return;
    }
    long number = history.generation() + 1;
    log(new Event.Generation(number, names(next), restarts));
    formDue = false;
    turn(RunState.FORMING, "");
    List<Member> members = new ArrayList<>();
    for (Node node : next) {
      Registration registration = node.registration;
      if (registration == null) {
        throw new IllegalStateException("A member is not registered: " + node.name());
      }
      node.trains = 0;
      node.done = 0;
      if (history.state(node.name()) == NodeState.TRAINING) {
        turn(node, NodeState.READY, "");
      }
      members.add(
          new Member(
              node.name(),
              node.rented.role(),
              registration.host(),
              registration.port(),
              setting.market().pools().get(node.rented.pool()).place().toString()));
    }
    sync();
    try {
      keeper.write(new Generation(number, members, restarts));
    } catch (IOException e) {
      throw new IllegalStateException("Generation %d cannot be told.".formatted(number), e);
    }
    next.forEach(blame::asked);
    helpers.execute(() -> forgetMeetings(number - 1));
  }

  private void forgetMeetings(long before) {
    try {
      keeper.forgetMeetings(before);
    } catch (IOException e) {
      // They are a few bytes, and the next generation tries again.
    }
  }

  /** Returns the members of this generation that are known here. */
  List<Node> members() {
    return history.members().stream().map(nodes::get).filter(Objects::nonNull).toList();
  }

  /** Whether this holds for every member of this generation. */
  boolean all(Predicate<Node> what) {
    return history.members().stream().map(nodes::get).allMatch(n -> n != null && what.test(n));
  }

  boolean isMember(Node node) {
    return history.members().contains(node.name());
  }

  private void joined(Node node, long generation, long step, Report.Origin from) {
    if (generation != history.generation() || !isMember(node) || node.trains == generation) {
      return;
    }
    node.trains = generation;
    node.asked = 0;
    node.unformed = false;
    log(new Event.Joined(node.name(), generation, step, from));
    if (history.state(node.name()) == NodeState.READY) {
      turn(node, NodeState.TRAINING, "");
    }
    if (all(member -> member.trains == generation) && history.state() == RunState.FORMING) {
      blame.stepped();
      turn(RunState.TRAINING, "");
      decide(false);
    }
  }

  // --- What agents say ---

  private void heard(Node node, Message message) {
    if (message instanceof Message.Said said && said.report() instanceof Report.Saved) {
      // What a process saves at its end counts, too.
      heard(node, said.report());
      return;
    }
    if (outcome != null || !lives(node)) {
      return;
    }
    if (message instanceof Message.Said said) {
      heard(node, said.report());
    } else if (message instanceof Message.Launched launched) {
      joined(node, launched.generation(), -1, Report.Origin.FRESH);
    } else if (message instanceof Message.Missed missed) {
      blame.missed(node, missed.generation());
    } else if (message instanceof Message.Silent silent) {
      blame.silent(node, silent);
    } else if (message instanceof Message.Exited exited) {
      blame.exited(node, exited);
    }
  }

  private void heard(Node node, Report report) {
    if (report instanceof Report.Forming) {
      blame.forming();
    } else if (report instanceof Report.Formed formed) {
      joined(node, formed.generation(), formed.step(), formed.from());
    } else if (report instanceof Report.Step step) {
      if (step.generation() == history.generation()) {
        node.stepped();
        blame.stepped();
        steps.told(node, step);
      }
    } else if (report instanceof Report.Saved saved) {
      steps.flush();
      log(new Event.Saved(node.name(), saved.step(), saved.state(), saved.reason()));
    } else if (report instanceof Report.Suspect suspect) {
      blame.suspected(node, suspect);
    } else if (report instanceof Report.Finished finished) {
      finished(node, finished);
    }
  }

  /** Looks at once whether a node is there, and says so in this thread. */
  void look(Node node, Consumer<Boolean> then) {
    AgentLink link = node.link;
    helpers.execute(
        () -> {
          boolean there = provider.alive(node.name()) && (link == null || link.answers());
          loop.post(() -> then.accept(there));
        });
  }

  private void finished(Node node, Report.Finished finished) {
    node.finished = true;
    finishing = true;
    steps.finished(node, history.generation(), finished);
    boolean all =
        members().stream()
            .allMatch(
                member -> member.finished || !lives(member) || member.rented.role() == Role.SERVER);
    if (all) {
      conclude(RunState.FINISHED, "the work is done");
    } else {
      // The first saves for all before it says so; the others may lose sight of each other.
      boolean first = node.name().equals(history.members().get(0));
      loop.after(
          first ? LAST_WORDS_SECONDS : FINISH_SECONDS,
          () -> conclude(RunState.FINISHED, "the work is done"));
    }
  }

  /** A process failed by its own fault: everybody starts again, for so many times. */
  void failed(Node node, String what) {
    if (outcome != null) {
      return;
    }
    restarts++;
    if (restarts > spec.work().maxRestarts()) {
      conclude(RunState.FAILED, "%s (on %s)".formatted(what, node.name()));
    } else if (spec.work().kind() == Work.Kind.COMMAND) {
      formAnew();
    } else {
      node.tell(new Command.Restart());
    }
  }

  // --- The policy ---

  /** Asks the policy what to rent and what to give back. */
  void decide(boolean tick) {
    if (outcome != null || finishing) {
      return;
    }
    if (deciding) {
      // What it does makes changes of its own; it is asked again about those, once.
      decideAgain = true;
      return;
    }
    deciding = true;
    try {
      setting.policy().decide(cluster, tick);
    } finally {
      deciding = false;
    }
    if (decideAgain) {
      decideAgain = false;
      loop.post(() -> decide(false));
    }
  }

  // --- The end ---

  private void control() throws IOException {
    String why = folder.stopAsked();
    if (why != null) {
      conclude(RunState.STOPPED, why);
    }
    blame.watchSteps();
    if (setting.clock().millis() - loggedMs > ALIVE_MS) {
      log(new Event.Alive());
    }
  }

  /** Ends everything and then the run. */
  void conclude(RunState how, String why) {
    if (outcome != null) {
      return;
    }
    steps.flush();
    outcome = how;
    outcomeReason = why;
    if (history.state() != RunState.STOPPING) {
      log(new Event.RunTurned(RunState.STOPPING, why, how));
    }
    for (Node node : living()) {
      node.tell(new Command.Stop(why));
      if (node.registration == null) {
        take(node);
      }
    }
    stopByNanos = System.nanoTime() + Math.round((spec.work().timeouts().stopSeconds() + 2) * 1e9);
    awaitNodes();
  }

  private void awaitNodes() {
    boolean left = living().stream().anyMatch(node -> provider.alive(node.name()));
    if (left && System.nanoTime() < stopByNanos) {
      loop.after(STOP_POLL_MS / 1e3, this::awaitNodes);
      return;
    }
    for (Node node : living()) {
      provider.end(node.name());
      turn(node, NodeState.RELEASED, "the run is over");
    }
    nodes.values().forEach(Node::hangUp);
    RunState how = outcome;
    turn(how == null ? RunState.STOPPED : how, outcomeReason);
    finish();
  }

  /** Lets go of everything, after the run's end. */
  private void finish() {
    RunStatus status = history.status();
    sync();
    helpers.execute(
        () -> {
          loop.stop();
          letGo();
          end.complete(status);
        });
  }

  private void letGo() {
    desk.close();
    helpers.shutdown();
    try {
      if (hook != null) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    } catch (IllegalStateException e) {
      // This process is ending.
    }
  }

  /** The process ends in order while the run goes on: nothing may outlive it. */
  private void abandon() {
    stop("the coordinator was ended");
    try {
      end.get(Math.round(spec.work().timeouts().stopSeconds() + 3), TimeUnit.SECONDS);
    } catch (Exception e) {
      provider.close();
    }
  }

  private void deposed() {
    if (outcome == null) {
      crash(new IllegalStateException("Another coordinator leads this run now."));
    }
  }

  /** Something cannot be: the run ends here rather than goes wrong. */
  private void crash(Throwable cause) {
    if (end.isDone()) {
      loop.stop();
      return;
    }
    try {
      // First: stopping the loop interrupts this thread, which then cannot write any more.
      log(new Event.Broken(String.valueOf(cause)));
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
    loop.stop();
    helpers.execute(
        () -> {
          nodes.values().forEach(Node::hangUp);
          letGo();
          end.completeExceptionally(cause);
        });
  }

  /** Ends the run. */
  void stop(String why) {
    loop.post(() -> conclude(RunState.STOPPED, why));
  }

  CompletableFuture<RunStatus> end() {
    return end;
  }

  /** Returns how the run stands now. */
  RunStatus status() {
    return history.status(setting.clock().millis());
  }

  int pool(String node) {
    Node known = nodes.get(node);
    return known == null ? -1 : known.rented.pool();
  }

  History history() {
    return history;
  }

  RunSpec spec() {
    return spec;
  }

  @Override
  public void close() {
    stop("closed");
  }

  // --- Small things ---

  private void turn(Node node, NodeState to, String reason) {
    log(new Event.NodeTurned(node.name(), to, reason));
  }

  private void turn(RunState to, String reason) {
    log(new Event.RunTurned(to, reason));
  }

  void log(Event event) {
    log(new Logged(setting.clock().millis(), player.marketMs(), event));
  }

  private void log(Logged logged) {
    history.add(logged);
    loggedMs = Math.max(loggedMs, logged.atMs());
    try {
      desk.log().append(logged);
    } catch (IOException e) {
      throw new IllegalStateException("The log of the run cannot be written.", e);
    }
    setting.listener().accept(logged);
  }

  /** Runs the step later, unless the run is over. */
  void after(double seconds, Loop.Step step) {
    loop.after(seconds, step);
  }

  private void sync() {
    try {
      desk.log().sync();
    } catch (IOException e) {
      throw new IllegalStateException("The log of the run cannot be written.", e);
    }
  }
}
