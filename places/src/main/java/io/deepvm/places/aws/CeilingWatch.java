package io.deepvm.places.aws;

import io.deepvm.places.News;
import io.deepvm.places.ledger.Ceiling;
import io.deepvm.places.ledger.Leases;
import io.deepvm.places.ssh.RentedHosts;
import java.util.Set;
import java.util.TreeSet;

/**
 * Keeps a run below its ceiling, whatever EC2 answers: leases are renewed only as far as the ledger
 * allows. Near the ceiling the nodes get a notice, and then all machines end.
 */
final class CeilingWatch {

  private static final long LOOK_MICROS = 3_000_000;

  /** Ends machines. */
  interface Nodes {

    /** Gives each node a notice that lives, and returns all that are not over. */
    Set<String> notice(long leadSeconds, String reason);

    /** Ends a node. */
    void end(String node, String reason);
  }

  private final Ceiling ceiling;
  private final Leases leases;
  private final RentedHosts hosts;
  private final OwnerThread owner;
  private final Nodes nodes;
  private final Set<Integer> wanted = new TreeSet<>();
  private final Set<Integer> tooDear = new TreeSet<>();
  private boolean parting;

  CeilingWatch(Ceiling ceiling, Leases leases, RentedHosts hosts, OwnerThread owner, Nodes nodes) {
    this.ceiling = ceiling;
    this.leases = leases;
    this.hosts = hosts;
    this.owner = owner;
    this.nodes = nodes;
  }

  /** Looks at the ceiling from now on. */
  void look() {
    owner.aside(
        () -> {
          Leases.Permission permission = leases.look();
          hosts.renew(permission.renewUntilMs());
          owner.later(0, () -> looked(permission));
        },
        // Without a permission no lease is renewed.
        () -> {});
    owner.later(LOOK_MICROS, this::look);
  }

  private void looked(Leases.Permission permission) {
    permission
        .lapsed()
        .forEach(node -> nodes.end(node, "no coordinator renewed its lease for too long"));
    if (permission.near() && !parting) {
      part(permission.leadSeconds());
    } else if (permission.idle() && !wanted.isEmpty() && tooDear.containsAll(wanted)) {
      parting = true;
      owner.report(
          new News.Closed("the ceiling of $%.2f leaves no room for a machine".formatted(usd())));
    }
  }

  /** Whether no machine may be ordered any more. */
  boolean isParting() {
    return parting;
  }

  /** Notes that the run wants a machine of a pool. */
  void wanted(int pool) {
    wanted.add(pool);
  }

  /** Notes whether the ceiling has room for a machine of a pool. */
  void priced(int pool, boolean tooDearNow) {
    if (tooDearNow) {
      tooDear.add(pool);
    } else {
      tooDear.remove(pool);
    }
  }

  private double usd() {
    return ceiling.micros() / 1e6;
  }

  private void part(long leadSeconds) {
    parting = true;
    String reason = reason();
    Set<String> held = nodes.notice(leadSeconds, reason);
    owner.later(
        leadSeconds * 1_000_000,
        () -> {
          held.forEach(node -> nodes.end(node, reason));
          owner.report(new News.Closed(reason));
        });
  }

  /** Returns why the run parts from its machines. */
  String reason() {
    return leases.isLate()
        ? "the run's time is over"
        : "the ceiling of $%.2f is near".formatted(usd());
  }
}
