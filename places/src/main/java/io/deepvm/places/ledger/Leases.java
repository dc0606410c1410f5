package io.deepvm.places.ledger;

import java.io.IOException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which leases may be renewed. It knows the ledger alone, so no silence of the place keeps
 * a run from its ceiling. A permission is on disk before anybody uses it.
 */
public final class Leases {

  private final Ledger ledger;
  private final Ceiling ceiling;
  private final Clock clock;

  /** Decides for the run of a ledger. */
  public Leases(Ledger ledger, Ceiling ceiling, Clock clock) {
    this.ledger = ledger;
    this.ceiling = ceiling;
    this.clock = clock;
  }

  /**
   * What may be renewed from now on.
   *
   * @param renewUntilMs until when, by node; a node without an entry is not renewed
   * @param lapsed nodes whose lease ran out while no coordinator lived
   * @param near whether the ceiling is near, so that nothing will be renewed again
   * @param leadSeconds how long the nodes still live then
   * @param idle whether no machine may cost money
   */
  public record Permission(
      Map<String, Long> renewUntilMs,
      Set<String> lapsed,
      boolean near,
      long leadSeconds,
      boolean idle) {
    public Permission {
      renewUntilMs = Map.copyOf(renewUntilMs);
      lapsed = Set.copyOf(lapsed);
    }
  }

  /** Looks at the ceiling, and renews the permissions if it is not near. */
  public synchronized Permission look() throws IOException {
    long now = clock.millis();
    List<Account> accounts = ledger.accounts();
    Map<String, Long> leases = new TreeMap<>();
    Map<String, Long> next = new TreeMap<>();
    Set<String> lapsed = new TreeSet<>();
    List<Ceiling.Cost> costs = new ArrayList<>();
    Map<String, Long> before = ledger.leases();
    for (Account account : accounts) {
      Ceiling.Cost cost = cost(account, before);
      if (cost == null) {
        continue;
      }
      boolean over =
          cost.renewable() && now + 1000 * endSeconds() >= ceiling.leftAloneUntilMs(cost);
      if (over) {
        lapsed.add(account.node());
      } else if (cost.renewable()) {
        leases.put(account.node(), cost.renewedMs());
        next.put(account.node(), Math.max(cost.renewedMs(), now + Ceiling.AHEAD_MS));
      }
      costs.add(over ? unrenewable(cost) : cost);
    }
    boolean near = ceiling.isNear(Ledger.micros(accounts), costs, now);
    if (near) {
      return new Permission(leases, lapsed, true, lead(leases, now), costs.isEmpty());
    }
    boolean due =
        next.keySet().stream()
            .anyMatch(node -> leases.getOrDefault(node, 0L) < now + Ceiling.AHEAD_MS * 2 / 3);
    if (!due) {
      return new Permission(leases, lapsed, false, 0, costs.isEmpty());
    }
    Map<String, Long> written = new TreeMap<>(before);
    written.putAll(next);
    ledger.lease(written);
    return new Permission(next, lapsed, false, 0, costs.isEmpty());
  }

  private long endSeconds() {
    return ceiling.terms().endSeconds();
  }

  /** Returns how long nodes live whose leases nobody renews any more. */
  private long lead(Map<String, Long> leases, long now) {
    long least =
        leases.values().stream()
            .mapToLong(until -> until - Ceiling.AHEAD_MS + 1000 * ceiling.terms().nodeSeconds())
            .min()
            .orElse(now);
    return Math.max(0, Math.min(ceiling.terms().partSeconds(), (least - now) / 1000));
  }

  private static Ceiling.Cost unrenewable(Ceiling.Cost cost) {
    return new Ceiling.Cost(cost.sinceMs(), cost.mostMicrosPerHour(), cost.renewedMs(), false);
  }

  /** Returns the machines that may cost money. */
  static List<Ceiling.Cost> costs(List<Account> accounts, Map<String, Long> leases) {
    List<Ceiling.Cost> costs = new ArrayList<>();
    for (Account account : accounts) {
      Ceiling.Cost cost = cost(account, leases);
      if (cost != null) {
        costs.add(cost);
      }
    }
    return costs;
  }

  private static Ceiling.@Nullable Cost cost(Account account, Map<String, Long> leases) {
    Account.Ordered ordered = account.ordered();
    if (ordered == null || account.gone() != null) {
      return null;
    }
    Account.Granted granted = account.granted();
    // The place's clock and this one may differ.
    long since = granted == null ? ordered.atMs() : Math.min(ordered.atMs(), granted.sinceMs());
    return new Ceiling.Cost(
        since,
        ordered.mostMicrosPerHour(),
        leases.getOrDefault(account.node(), 0L),
        granted != null && account.owed() == null);
  }

  /** Whether one more machine at this price fits below the ceiling. */
  public boolean allow(long mostMicrosPerHour) throws IOException {
    List<Account> accounts = ledger.accounts();
    return ceiling.allows(
        Ledger.micros(accounts),
        costs(accounts, ledger.leases()),
        mostMicrosPerHour,
        clock.millis());
  }

  /** Whether the time of the run is over. */
  public boolean isLate() {
    return ceiling.isLate(clock.millis());
  }

  /** Returns until when a machine is paid at most that nobody has described as ended. */
  public long paidUntilMs(Account account) throws IOException {
    Ceiling.Cost cost = cost(account, ledger.leases());
    long now = clock.millis();
    return cost == null ? now : Math.min(now, ceiling.leftAloneUntilMs(cost));
  }
}
