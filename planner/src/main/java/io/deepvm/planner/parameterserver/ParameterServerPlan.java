package io.deepvm.planner.parameterserver;

import io.deepvm.catalog.Offer;
import io.deepvm.catalog.Place;
import java.util.List;

/**
 * A parameter-server cluster to rent.
 *
 * @param workers by offer, in the order of the provision's cluster; some counts may be 0
 * @param gap how much cheaper the true optimum may be, relative; 0 when proven
 */
public record ParameterServerPlan(
    Place place,
    List<Offer> workers,
    ServerOption servers,
    ProvisionRequest request,
    Provision provision,
    double gap) {

  public ParameterServerPlan {
    workers = List.copyOf(workers);
  }
}
