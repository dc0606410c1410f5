package io.deepvm.cluster;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.keeper.Registration;
import io.deepvm.cluster.log.Event;
import io.deepvm.cluster.log.History;
import io.deepvm.cluster.log.NodeState;
import io.deepvm.cluster.log.NodeStatus;
import io.deepvm.cluster.log.RunState;
import io.deepvm.cluster.member.Role;
import io.deepvm.cluster.wire.AgentLink;
import io.deepvm.cluster.wire.Command;
import io.deepvm.cluster.wire.Message;
import io.deepvm.market.Pool;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The nodes of a run: rents them, hears them come and go, and takes or gives them back. */
final class Fleet {

  private static final double COME_BACK_SECONDS = 2;

  /** So many nodes that are gone before they were heard, one after the other, are no accident. */
  private static final int MOST_UNHEARD = 5;

  private final Coordinator coordinator;
  private final Setting setting;
  private final Provider provider;
  private final String address;
  private final String token;
  private final MarketPlayer player;
  private final RunSpec spec;
  private final History history;
  private final Journal journal;
  private final Loop loop;
  private final Steps steps;

  private final Map<String, Node> nodes = new LinkedHashMap<>();

  // Taken over from another coordinator, and not heard since.
  private final Set<String> adopted = new HashSet<>();
  private int rentals;
  private int unheard;

  Fleet(Coordinator coordinator, Setting setting, Desk desk, String token, MarketPlayer player) {
    this.coordinator = coordinator;
    this.setting = setting;
    this.provider = desk.provider();
    this.address = desk.address();
    this.token = token;
    this.player = player;
    this.spec = coordinator.spec();
    this.history = coordinator.history();
    this.journal = coordinator.journal();
    this.loop = coordinator.loop();
    this.steps = coordinator.steps();
  }

  // --- Those that are there ---

  /** Returns the node of this name; null when there never was one. */
  @Nullable Node find(String name) {
    return nodes.get(name);
  }

  boolean lives(Node node) {
    NodeState state = history.state(node.name());
    return state != null && !state.isEnd();
  }

  List<Node> living() {
    return nodes.values().stream().filter(this::lives).toList();
  }

  /** Looks at once whether a node is there, and says so in the run's thread. */
  void look(Node node, Consumer<Boolean> then) {
    AgentLink link = node.link;
    loop.aside(
        () -> {
          boolean there = provider.alive(node.name()) && (link == null || link.answers());
          loop.post(() -> then.accept(there));
        });
  }

  // --- Those of the coordinator before this one ---

  /** Takes over the nodes that outlived the last coordinator. */
  void takeOver() throws IOException {
    List<NodeStatus> living =
        Survivors.adopt(
            history,
            spec,
            provider,
            setting.clock().millis(),
            name -> () -> loop.post(() -> vanished(name)),
            journal::write);
    journal.write(new Event.Resumed("a new coordinator took over"));
    rentals = history.status().nodes().size();
    living.forEach(this::adopt);
    for (NodeStatus status : living) {
      Node node = nodes.get(status.node());
      if (node != null && status.state() == NodeState.REQUESTED) {
        journal.turn(node, NodeState.BOOTING, "");
      }
    }
  }

  private void adopt(NodeStatus status) {
    Node node =
        new Node(
            new Event.Rented(
                status.node(), status.role(), status.pool(), status.poolName(), status.market(), 0),
            status.rentedMs());
    if (coordinator.formation().isMember(node)) {
      boolean noticed = status.state() == NodeState.NOTICED && history.state() == RunState.TRAINING;
      if (status.state() == NodeState.TRAINING || noticed) {
        node.trains = history.generation();
      } else if (status.state() == NodeState.BOOTING) {
        // Its process has ended since the generation was formed.
        coordinator.formation().demand();
      } else {
        coordinator.blame().asked(node);
      }
    }
    nodes.put(node.name(), node);
    adopted.add(node.name());
  }

  /** Forms nothing before all nodes that were taken over are heard, or late. */
  void awaitAgents() {
    coordinator.formation().ifChanged();
    loop.after(
        spec.work().timeouts().sessionSeconds() + COME_BACK_SECONDS,
        () -> {
          List<String> silent = List.copyOf(adopted);
          adopted.clear();
          for (Node node : living()) {
            if (silent.contains(node.name()) && history.state(node.name()) != NodeState.BOOTING) {
              lose(node, "its agent did not come back to the coordinator");
            }
          }
          coordinator.formation().ifChanged();
        });
    living().forEach(this::watchBoot);
  }

  /** Whether all nodes that were taken over have been heard, or given up. */
  boolean isHeard() {
    return adopted.isEmpty();
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

  // --- Renting and giving back ---

  /** Rents a node if the provider has room, and returns whether it did. */
  boolean rent(int pool, Market market, Role role) {
    if (living().size() >= provider.limit()) {
      String why = "the provider has room for %d nodes".formatted(provider.limit());
      journal.write(new Event.Refused(pool, market, 1, 0, why));
      return false;
    }
    rentals++;
    String name = "n" + rentals;
    Pool where = setting.market().pools().get(pool);
    // A plan's parameter servers are among its anchors, which are paid for as such.
    boolean paid = role == Role.SERVER && setting.scenario().anchors() > 0;
    long micros = paid ? 0 : player.microsPerHour(pool, market);
    Event.Rented rented = new Event.Rented(name, role, pool, where.toString(), market, micros);
    Node node = new Node(rented, player.marketMs());
    nodes.put(name, node);
    journal.write(rented);
    // A crash between the two must not leave a node that nobody knows of.
    journal.sync();
    NodeRequest request =
        new NodeRequest(
            spec.name(),
            name,
            role,
            where,
            market,
            address,
            spec.work().timeouts().sessionSeconds());
    try {
      String handle = provider.rent(request, () -> loop.post(() -> vanished(name)));
      journal.write(new Event.Granted(name, handle));
      journal.turn(node, NodeState.BOOTING, "");
    } catch (IOException e) {
      journal.turn(node, NodeState.FAILED, String.valueOf(e.getMessage()));
      coordinator.conclude(
          RunState.FAILED, "The node %s could not be started: %s".formatted(name, e.getMessage()));
      return false;
    }
    player.rented(node);
    watchBoot(node);
    return true;
  }

  /** Rents the nodes that keep parameters and are not there: policies rent workers only. */
  void rentServers() {
    if (!coordinator.rents()) {
      return;
    }
    long there = living().stream().filter(node -> node.rented.role() == Role.SERVER).count();
    for (long i = there; i < spec.servers(); i++) {
      rent(spec.serverPool(), Market.ON_DEMAND, Role.SERVER);
    }
  }

  /** Gives a node back: its process may end in order, but it counts no more. */
  void release(Node node) {
    journal.turn(node, NodeState.RELEASED, "given back");
    node.tell(new Command.Stop("the node is given back"));
    loop.after(spec.work().timeouts().stopSeconds() + 1, () -> take(node));
    coordinator.formation().ifChanged();
  }

  private void take(Node node) {
    loop.aside(() -> provider.end(node.name()));
  }

  // --- What the market does ---

  /** Takes the node away as a market does: what follows is noticed, not known. */
  void strike(Node node, String reason) {
    if (lives(node)) {
      node.taken = reason;
      journal.write(new Event.Taken(node.name(), reason));
      take(node);
    }
  }

  /** Tells a node that it will be taken. */
  void notice(Node node, double leadSeconds, String reason) {
    NodeState state = history.state(node.name());
    if (state == null || !state.mayTurn(NodeState.NOTICED)) {
      return;
    }
    journal.turn(node, NodeState.NOTICED, reason);
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
      journal.turn(node, back, "the notice did not come true");
      node.tell(new Command.Spare());
      coordinator.formation().soon();
    }
  }

  /** Goes on without a node whose process ended after a notice; it is taken when its time comes. */
  void leave(Node node) {
    node.left = true;
    node.processEnded();
    coordinator.formation().ifChanged();
  }

  // --- What is heard of nodes ---

  /** An agent says where it is and whether its process can be a member. */
  void registered(Registration registration) {
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
              message -> receive(node, message),
              () -> loop.post(() -> lose(node, "nobody listens at its agent's port"))));
    }
    if (before == null) {
      node.tell(new Command.Show(setting.listener().logs()));
    }
    NodeState state = history.state(name);
    Formation formation = coordinator.formation();
    if (registration.ready() && state == NodeState.BOOTING) {
      journal.turn(node, NodeState.READY, "");
      formation.soon();
      coordinator.decide(false);
    } else if (!registration.ready() && (state == NodeState.READY || state == NodeState.TRAINING)) {
      journal.turn(node, NodeState.BOOTING, "its process ended");
      node.processEnded();
      formation.ifChanged();
    } else if (before != null
        && before.incarnation() != registration.incarnation()
        && formation.isMember(node)) {
      // It ended and was started again before we saw it: the generation has the old one.
      node.processEnded();
      formation.anew();
    } else if (back) {
      formation.ifChanged();
    }
  }

  /** Takes a message of an agent; output goes past the run's thread, which must not wait for it. */
  private void receive(Node node, Message message) {
    if (message instanceof Message.Printed printed) {
      Command answer = new Command.Received(printed.lines().number());
      coordinator
          .output()
          .received(node.name(), printed.lines(), () -> loop.post(() -> node.tell(answer)));
    } else {
      loop.post(() -> coordinator.heard(node, message));
    }
  }

  /** An agent's session is over. */
  void unregistered(String name) {
    Node node = nodes.get(name);
    if (node != null) {
      lose(node, "its agent's session ended");
    }
  }

  /** The provider says that a node has ended. */
  private void vanished(String name) {
    Node node = nodes.get(name);
    if (node == null) {
      return;
    }
    // Adopted ones were heard by the coordinator before this one.
    boolean early = node.registration == null && !adopted.contains(name);
    if (early && lives(node) && node.taken == null && !coordinator.isOver()) {
      unheard++;
    }
    if (unheard >= MOST_UNHEARD) {
      fail(node, "it ended before it was heard, as the %d before it".formatted(unheard - 1));
    } else {
      lose(node, "the node is gone");
    }
  }

  /** Counts the node as lost and goes on without it. */
  void lose(Node node, String how) {
    if (!lives(node) || coordinator.isOver()) {
      return;
    }
    steps.flush();
    String taken = node.taken;
    journal.turn(node, NodeState.LOST, taken == null ? how : taken);
    node.hangUp();
    adopted.remove(node.name());
    take(node);
    coordinator.formation().ifChanged();
    rentServers();
    coordinator.decide(false);
  }

  /** A node that never got as far as to train: the next one would hardly do better. */
  private void fail(Node node, String why) {
    if (!lives(node) || coordinator.isOver()) {
      return;
    }
    journal.turn(node, NodeState.FAILED, why);
    node.hangUp();
    take(node);
    coordinator.conclude(RunState.FAILED, "The node %s failed: %s.".formatted(node.name(), why));
  }

  // --- All of them ---

  /** Tells every agent that the coordinator is here. */
  void tellHere() {
    nodes.values().forEach(node -> node.tell(new Command.Here()));
  }

  /** Tells all nodes to stop. */
  void stop(String why) {
    for (Node node : living()) {
      node.tell(new Command.Stop(why));
      if (node.registration == null) {
        take(node);
      }
    }
  }

  /** Whether some of those that were told to stop have not ended yet. */
  boolean isLeft() {
    return living().stream().anyMatch(node -> provider.alive(node.name()));
  }

  /** Ends what has not ended by itself. */
  void end(String why) {
    for (Node node : living()) {
      provider.end(node.name());
      journal.turn(node, NodeState.RELEASED, why);
    }
    hangUp();
  }

  /** Leaves the nodes to themselves. */
  void hangUp() {
    nodes.values().forEach(Node::hangUp);
  }
}
