package io.deepvm.workload.averaging;

import io.deepvm.base.Bandwidth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How much the speed changes with one input.
 *
 * @param input its name
 * @param elasticity per cent of samples/s for one per cent more of the input
 */
public record Sensitivity(String input, double elasticity) {

  private static final double MORE = 1.01;

  /** Returns the sensitivity to every input of a forecast, the strongest first. */
  public static List<Sensitivity> of(
      TrainedModel model,
      Network network,
      Protocol protocol,
      Coefficients constants,
      List<PeerGroup> groups,
      int targetBatch) {
    double usual = speed(model, network, protocol, constants, groups, targetBatch);
    Network faster =
        (from, to) -> {
          Link link = network.between(from, to);
          Bandwidth stream = new Bandwidth(Math.round(MORE * link.stream().bitsPerSecond()));
          return new Link(link.kind(), stream, link.many(), link.egressPerGb(), link.assumption());
        };
    TrainedModel larger =
        new TrainedModel(model.name(), MORE * model.parameters(), model.tensors());
    Protocol patient = protocol.withMatchmaking(MORE * protocol.matchmakingSeconds());
    List<Sensitivity> all = new ArrayList<>();
    all.add(
        of(
            "bandwidth of the links",
            usual,
            speed(model, faster, protocol, constants, groups, targetBatch)));
    all.add(
        of(
            "speed of the peers",
            usual,
            speed(model, network, protocol, constants, faster(groups), targetBatch)));
    all.add(
        of(
            "target batch size",
            usual,
            speed(model, network, protocol, constants, groups, targetBatch, MORE * targetBatch)));
    all.add(
        of("parameters", usual, speed(larger, network, protocol, constants, groups, targetBatch)));
    all.add(
        of(
            "matchmaking time",
            usual,
            speed(model, network, patient, constants, groups, targetBatch)));
    all.sort(Comparator.comparingDouble(each -> -Math.abs(each.elasticity)));
    return List.copyOf(all);
  }

  private static Sensitivity of(String input, double usual, double changed) {
    return new Sensitivity(input, Math.log(changed / usual) / Math.log(MORE));
  }

  private static double speed(
      TrainedModel model,
      Network network,
      Protocol protocol,
      Coefficients constants,
      List<PeerGroup> groups,
      int targetBatch) {
    return speed(model, network, protocol, constants, groups, targetBatch, targetBatch);
  }

  private static double speed(
      TrainedModel model,
      Network network,
      Protocol protocol,
      Coefficients constants,
      List<PeerGroup> groups,
      int targetBatch,
      double scaledBatch) {
    AveragingModel averaging = new AveragingModel(model, network, protocol, constants);
    // A batch k times as large takes as long as peers that are k times slower.
    double times = scaledBatch / targetBatch;
    double round =
        averaging.roundSeconds(
            averaging.exchange(groups), AveragingModel.rate(groups) / times, targetBatch);
    return scaledBatch / round;
  }

  private static List<PeerGroup> faster(List<PeerGroup> groups) {
    List<PeerGroup> faster = new ArrayList<>();
    for (PeerGroup group : groups) {
      Peer peer = group.peer();
      faster.add(
          new PeerGroup(
              new Peer(
                  peer.name(),
                  peer.place(),
                  MORE * peer.samplesPerSecond(),
                  peer.host(),
                  peer.pricePerHour(),
                  peer.network()),
              group.count()));
    }
    return faster;
  }
}
