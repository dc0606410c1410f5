package io.deepvm.places.aws;

import io.deepvm.places.Timers;
import io.deepvm.places.ssh.RentedHosts;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshRentedHosts;
import io.deepvm.places.ssh.SshSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/** What a coordinator gives to its cloud: the ways of a run to AWS and to its machines. */
public record AwsParts(AwsWire wire, HostsOf hosts, Timers timers, Clock clock, RentalSteps steps) {

  private static final int SSH_PORT = 22;

  /** Makes the way to the machines of the run in a folder. */
  @FunctionalInterface
  public interface HostsOf {
    RentedHosts of(Path folder, Path key, KnownHosts hosts) throws IOException;
  }

  /** Says which key a machine must have. */
  @FunctionalInterface
  public interface KnownHosts {
    Path file(String address) throws IOException;
  }

  /** Returns what reaches AWS itself, and machines by ssh. */
  static AwsParts of(AwsSettings settings, Timers timers, Clock clock) {
    SshSettings ssh =
        new SshSettings(
            settings.run(),
            settings.owner(),
            List.of(),
            settings.ceiling().terms().nodeSeconds(),
            settings.shipment());
    HostsOf hosts =
        (folder, key, known) ->
            SshRentedHosts.of(
                folder,
                ssh,
                new SshRentedHosts.Parts(
                    timers,
                    clock,
                    (order, at) ->
                        new SshHost(
                            order.node(),
                            new SshHost.Login(
                                at.ssh(),
                                settings.login().user(),
                                SSH_PORT,
                                key.toString(),
                                known.file(at.ssh()).toString(),
                                null),
                            at.nodes(),
                            UserData.FOLDER,
                            settings.pools().get(order.pool()).instanceType(),
                            0)));
    AwsWire wire = SignedWire.of(settings.access());
    return new AwsParts(wire, hosts, timers, clock, RentalSteps.NONE);
  }
}
