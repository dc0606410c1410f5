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
      Pattern.compile("deepvm-lease.sh /opt/deepvm (\\d+) (\\d+) (\\d+) (\\d+)");

  private record Lease(String address, long bootMs, long leaseMs, long graceMs, long mostMs) {}

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
              1000 * Long.parseLong(matcher.group(1)),
              1000 * Long.parseLong(matcher.group(2)),
              1000 * Long.parseLong(matcher.group(3)),
              1000 * Long.parseLong(matcher.group(4))));
      bootedMs.put(instance.id(), clock.millis());
    }
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
      long until = booted + lease.bootMs();
      Long renewed = renewedMs.get(each.getKey());
      if (renewed != null) {
        until = Math.max(until, renewed + lease.leaseMs() + lease.graceMs());
      }
      if (now >= until || now >= booted + lease.mostMs()) {
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
    private boolean closed;

    private SimHosts(Timers timers) {
      this.timers = timers;
    }

    @Override
    public void bring(Order order, At at, Listener listener) {
      String node = order.node();
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
            if (lease.address().equals(address)) {
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
