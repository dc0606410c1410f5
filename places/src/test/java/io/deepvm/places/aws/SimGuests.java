package io.deepvm.places.aws;

import io.deepvm.places.Order;
import io.deepvm.places.Timers;
import io.deepvm.places.aws.fake.FakeEc2;
import io.deepvm.places.aws.fake.FakeInstance;
import io.deepvm.places.ssh.RentedHosts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The machines of a fake EC2 on simulated time, with the leases of their user data. */
final class SimGuests implements FakeEc2.Guests {

  private static final Pattern LEASE =
      Pattern.compile("deepvm-lease.sh /opt/deepvm (\\d+) (\\d+) (\\d+) (\\d+) (\\d+) (\\d+)");

  private record Lease(String address, Terms terms, long bootByMs, long endByMs) {}

  private record Terms(long bootMs, long leaseMs, long graceMs, long mostMs) {}

  private final Clock clock;
  private final Map<String, Lease> leases = new HashMap<>();
  private final Map<String, Long> bootedMs = new HashMap<>();
  private final Map<String, Long> renewedMs = new HashMap<>();

  SimGuests(Clock clock) {
    this.clock = clock;
  }

  @Override
  public void boots(FakeInstance instance, String userData) {
    Matcher matcher = LEASE.matcher(userData);
    if (matcher.find()) {
      leases.put(
          instance.id(),
          new Lease(
              instance.address(),
              new Terms(ms(matcher, 1), ms(matcher, 2), ms(matcher, 3), ms(matcher, 4)),
              ms(matcher, 5),
              ms(matcher, 6)));
      bootedMs.put(instance.id(), clock.millis());
    }
  }

  private static long ms(Matcher matcher, int group) {
    return 1000 * Long.parseLong(matcher.group(group));
  }

  @Override
  public void ends(FakeInstance instance) {
    leases.remove(instance.id());
  }

  /** Ends the machines whose lease has run out. */
  void look(FakeEc2 ec2) {
    long now = clock.millis();
    for (Map.Entry<String, Lease> each : new HashMap<>(leases).entrySet()) {
      Lease lease = each.getValue();
      long booted = bootedMs.getOrDefault(each.getKey(), now);
      Terms terms = lease.terms();
      long until = Math.min(booted + terms.bootMs(), lease.bootByMs());
      Long renewed = renewedMs.get(each.getKey());
      if (renewed != null) {
        until = Math.max(until, renewed + terms.leaseMs() + terms.graceMs());
      }
      if (now >= until || now >= booted + terms.mostMs() || now >= lease.endByMs()) {
        ec2.powerOff(each.getKey());
      }
    }
  }

  /** Returns a coordinator's way to the machines. */
  SimHosts hosts(Timers timers) {
    return new SimHosts(timers);
  }

  /** One coordinator's way to the machines. */
  final class SimHosts implements RentedHosts {
    private final Timers timers;
    private final Set<String> left = new HashSet<>();
    private Map<String, Long> renewUntilMs = Map.of();
    private boolean closed;

    private SimHosts(Timers timers) {
      this.timers = timers;
    }

    @Override
    public void renew(Map<String, Long> untilMs) {
      renewUntilMs = Map.copyOf(untilMs);
    }

    @Override
    public void bring(Order order, At at, Listener listener) {
      String node = order.node();
      if (closed || left.contains(node)) {
        return;
      }
      if (clock.millis() >= renewUntilMs.getOrDefault(node, 0L)) {
        timers.after(2_000_000, () -> bring(order, at, listener));
        return;
      }
      InetSocketAddress address = new InetSocketAddress(at.nodes(), 4000);
      timers.after(
          1_000_000,
          () -> {
            listener.reachable(
                node, address, new InetSocketAddress(InetAddress.getLoopbackAddress(), 1080));
            renew(node, at.ssh());
          });
    }

    private void renew(String node, String address) {
      if (closed || left.contains(node)) {
        return;
      }
      leases.forEach(
          (id, lease) -> {
            boolean permitted = clock.millis() < renewUntilMs.getOrDefault(node, 0L);
            if (permitted && lease.address().equals(address)) {
              renewedMs.put(id, clock.millis());
            }
          });
      timers.after(1_000_000, () -> renew(node, address));
    }

    @Override
    public void fetch(String node) {}

    @Override
    public void leave(String node) {
      left.add(node);
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
