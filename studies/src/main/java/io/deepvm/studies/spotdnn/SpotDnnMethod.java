package io.deepvm.studies.spotdnn;

import io.deepvm.base.BadInput;
import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Gpu;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Hardware;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.Machine;
import io.deepvm.catalog.Market;
import io.deepvm.catalog.Place;
import io.deepvm.catalog.PlaceFilter;
import io.deepvm.catalog.PriceDates;
import io.deepvm.catalog.Quota;
import io.deepvm.planner.Goal;
import io.deepvm.planner.Planning;
import io.deepvm.planner.parameterserver.ParameterServerFamily;
import io.deepvm.planner.parameterserver.ParameterServerGoal;
import io.deepvm.planner.parameterserver.SlidingWindow;
import io.deepvm.workload.AsynchronousTraining;
import io.deepvm.workload.Job;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * spotDNN as published: the sliding window, the paper's instance types, prices and quotas, and a
 * bill without the parameter server.
 */
public final class SpotDnnMethod {

  private static final Place PLACE = new Place("aws", "us-east-1", null);
  private static final List<String> GPUS = List.of("V100", "T4", "M60", "M60", "K80");
  private static final int[] COUNTS = {1, 1, 2, 4, 8};

  private SpotDnnMethod() {}

  /** Returns what the paper's algorithm chooses for the job. */
  public static Planning plan(Catalog catalog, Job job, Goal goal) {
    AsynchronousTraining training = job.profiles().parameterServer();
    if (training == null || training.targetLoss() == null || goal.deadline() == null) {
      throw new BadInput(
          "spotDNN plans for a target loss by a deadline, and one of them is not stated.",
          "Maybe add --target-loss, --deadline, and --job with a file that has 'parameterServer:'.");
    }
    ParameterServerGoal wanted =
        new ParameterServerGoal(
            training.goal(training.targetLoss()),
            goal.deadline().toMillis() / 1e3,
            goal.maxPricePerHour(),
            ParameterServerFamily.overheadSeconds(training),
            0,
            Set.of(Market.SPOT),
            goal.places(),
            null,
            1,
            false,
            training.running());
    return ParameterServerFamily.plan(catalog, job, goal, wanted, new SlidingWindow());
  }

  /** The five instance types of Table V with the prototype's prices and quotas, and the server. */
  public static Catalog market() {
    List<Listing> listings = new ArrayList<>();
    List<Quota> quotas = new ArrayList<>();
    for (int i = 0; i < COUNTS.length; i++) {
      String type = SpotDnnPaper.TYPES.get(i);
      Gpu gpu = Objects.requireNonNull(Hardware.gpu(GPUS.get(i)));
      Machine machine =
          new Machine("aws", type, type, 0, null, new Gpus(gpu, COUNTS[i]), null, null, null, null);
      listings.add(
          new Listing(
              machine,
              PLACE,
              Money.parse(SpotDnnPaper.PROTOTYPE.get(i)),
              Money.parse(SpotDnnPaper.ON_DEMAND.get(i))));
      quotas.add(
          new Quota(
              PlaceFilter.ANYWHERE,
              Set.of(type),
              Market.SPOT,
              Quota.Unit.NODES,
              SpotDnnPaper.QUOTA.get(i)));
    }
    Bandwidth link = SpotDnnPaper.model().servers();
    Machine server = new Machine("aws", "m5.xlarge", "m", 4, null, null, link, null, null, null);
    listings.add(new Listing(server, PLACE, null, Money.parse("0.192")));
    return new Catalog(
        "spotdnn",
        "spotDNN prototype and Table III, us-east-1, January 2023",
        PriceDates.of(LocalDate.of(2023, 1, 1)).forHistory(),
        listings,
        quotas);
  }
}
