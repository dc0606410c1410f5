package io.deepvm.workload.averaging;

import io.deepvm.catalog.Place;
import io.deepvm.workload.averaging.Exchange.Bottleneck;
import io.deepvm.workload.averaging.Exchange.Traffic;
import io.deepvm.workload.parallel.Collectives;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Computes one averaging round: the bytes between each two peers, and the wait of all peers. */
final class ExchangeModel {

  private final TrainedModel model;
  private final Network network;
  private final Protocol protocol;
  private final Coefficients constants;
  private final double wireBytes;
  private final double wireBits;

  ExchangeModel(TrainedModel model, Network network, Protocol protocol, Coefficients constants) {
    this.model = model;
    this.network = network;
    this.protocol = protocol;
    this.constants = constants;
    this.wireBytes = model.wireBytes(protocol.compression());
    this.wireBits = Byte.SIZE * wireBytes;
  }

  Exchange exchange(List<PeerGroup> groups) {
    int peers = count(groups);
    if (peers == 1) {
      BuiltInTrainer trainer = protocol.trainer();
      double own = trainer == null ? 0 : trainer.processingSeconds(1);
      return new Exchange(1, own, 0, null, List.of());
    }
    return protocol.topology() == Topology.LOCAL_FIRST ? localFirst(groups) : mesh(groups, peers);
  }

  static int count(List<PeerGroup> groups) {
    int peers = 0;
    for (PeerGroup group : groups) {
      peers += group.count();
    }
    return peers;
  }

  /** Every peer with every other: each directed pair carries two N-th parts of the gradient. */
  private Exchange mesh(List<PeerGroup> groups, int peers) {
    double processing = processing(groups, peers);
    double linkSeconds = 0;
    Bottleneck bottleneck = null;
    List<Traffic> traffic = new ArrayList<>();
    for (int i = 0; i < groups.size(); i++) {
      PeerGroup sender = groups.get(i);
      for (int j = 0; j < groups.size(); j++) {
        PeerGroup receiver = groups.get(j);
        int others = receiver.count() - (i == j ? 1 : 0);
        if (others == 0) {
          continue;
        }
        Place from = sender.peer().place();
        Place to = receiver.peer().place();
        Link link = network.between(from, to);
        double bytes = sender.count() * others * 2 * wireBytes / peers;
        traffic.add(new Traffic(from, to, link, bytes * constants.trafficOverhead()));
        if (link.kind() == LinkKind.LOCAL) {
          double ideal = 2 * wireBits / peers / speed(link, sender.peer(), receiver.peer());
          processing = Math.max(processing, ideal);
          continue;
        }
        double seconds = wait(link, sender.peer(), receiver.peer(), peers);
        if (seconds > linkSeconds) {
          linkSeconds = seconds;
          bottleneck = new Bottleneck(from, to, link);
        }
      }
    }
    return new Exchange(peers, processing, linkSeconds, bottleneck, traffic);
  }

  /** Regions average inside, one peer of each averages with the others, and hands out the mean. */
  private Exchange localFirst(List<PeerGroup> groups) {
    Map<String, List<PeerGroup>> regions = new LinkedHashMap<>();
    for (PeerGroup group : groups) {
      Place place = group.peer().place();
      regions
          .computeIfAbsent(place.cloud() + '/' + place.region(), key -> new ArrayList<>())
          .add(group);
    }
    if (regions.size() == 1) {
      return mesh(groups, count(groups));
    }
    double inside = 0;
    List<Traffic> traffic = new ArrayList<>();
    List<PeerGroup> delegates = new ArrayList<>();
    for (List<PeerGroup> region : regions.values()) {
      PeerGroup delegate = new PeerGroup(delegate(region), 1);
      delegates.add(delegate);
      int members = count(region);
      if (members > 1) {
        Exchange first = mesh(region, members);
        double handOut = slowest(region) * perParameter();
        inside = Math.max(inside, first.processingSeconds() + handOut);
        traffic.addAll(first.traffic());
        Place place = delegate.peer().place();
        double bytes = (members - 1) * wireBytes * constants.trafficOverhead();
        traffic.add(new Traffic(place, place, network.between(place, place), bytes));
      }
    }
    Exchange wide = mesh(delegates, delegates.size());
    traffic.addAll(wide.traffic());
    return new Exchange(
        count(groups),
        inside + wide.processingSeconds(),
        wide.linkSeconds(),
        wide.bottleneck(),
        traffic);
  }

  private Peer delegate(List<PeerGroup> region) {
    Peer best = region.get(0).peer();
    for (PeerGroup group : region) {
      if (constants.host(group.peer().host()) < constants.host(best.host())) {
        best = group.peer();
      }
    }
    return best;
  }

  /** Seconds of work on the slowest host, or what its network card needs when that is longer. */
  private double processing(List<PeerGroup> groups, int peers) {
    double cards = cards(groups, peers);
    BuiltInTrainer trainer = protocol.trainer();
    if (trainer != null) {
      return trainer.processingSeconds(peers) + trainer.wire() * cards;
    }
    double hundreds = model.tensors() / 100.0;
    double work =
        perParameter()
            + constants.secondsPerHundredTensors() * hundreds
            + constants.secondsPerHundredTensorsAndPeer() * hundreds * (peers - 1);
    return Math.max(slowest(groups) * work, cards);
  }

  /** What the slowest network card needs at least. */
  private double cards(List<PeerGroup> groups, int peers) {
    double seconds = 0;
    for (PeerGroup group : groups) {
      if (group.peer().network() != null) {
        seconds =
            Math.max(seconds, Collectives.wireSeconds(wireBytes, peers, group.peer().network()));
      }
    }
    return seconds;
  }

  private double perParameter() {
    return constants.secondsPerMillionParameters() * model.parameters() / 1e6;
  }

  private double slowest(List<PeerGroup> groups) {
    double slowest = 0;
    for (PeerGroup group : groups) {
      slowest = Math.max(slowest, constants.host(group.peer().host()));
    }
    return slowest;
  }

  /** What a link adds to the round: its ideal time for two peers, shared among more. */
  private double wait(Link link, Peer sender, Peer receiver, int peers) {
    double ideal = wireBits / speed(link, sender, receiver);
    return constants.felt(link.kind())
        * ideal
        * Math.pow(2.0 / peers, constants.crowding(link.kind()));
  }

  /** Bits per second of all streams between two peers. */
  private double speed(Link link, Peer sender, Peer receiver) {
    double streams =
        constants.streams(link.kind(), protocol.streams()) * link.stream().bitsPerSecond();
    double path = link.many() == null ? streams : Math.min(streams, most(link));
    return Math.min(path, Math.min(card(sender), card(receiver)));
  }

  /** What many streams carried, but never less than the one that was measured by itself. */
  private static double most(Link link) {
    return Math.max(
        Objects.requireNonNull(link.many()).bitsPerSecond(), link.stream().bitsPerSecond());
  }

  private static double card(Peer peer) {
    return peer.network() == null ? Double.POSITIVE_INFINITY : peer.network().bitsPerSecond();
  }
}
