package io.deepvm.places.aws;

import io.deepvm.places.ledger.Account;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Ends the machines of a run that nobody coordinates, from its ledger alone. */
final class Settlement {

  private static final long LOOK_MS = 3_000;

  /** Waits. */
  @FunctionalInterface
  interface Pause {
    void sleep(long ms) throws InterruptedException;
  }

  private final AwsSettings settings;
  private final AwsWire wire;
  private final Path folder;
  private final Clock clock;
  private final Pause pause;

  Settlement(AwsSettings settings, AwsWire wire, Path folder, Clock clock, Pause pause) {
    this.settings = settings;
    this.wire = wire;
    this.folder = folder;
    this.clock = clock;
    this.pause = pause;
  }

  /** Repeats all ends until EC2 confirms them. Returns the last problem; empty if there is none. */
  String settle(Duration patience) throws IOException, InterruptedException {
    Rentals rentals = new Rentals(settings, new Ec2(wire), folder, clock, RentalSteps.NONE);
    long until = clock.millis() + patience.toMillis();
    String problem = "";
    while (rentals.ledger().accounts().stream().anyMatch(Account::mayCost)) {
      problem = look(rentals);
      boolean open = rentals.ledger().accounts().stream().anyMatch(Account::mayCost);
      if (open && clock.millis() >= until) {
        return problem;
      } else if (open) {
        pause.sleep(LOOK_MS);
      }
    }
    try {
      rentals.deleteGroup();
    } catch (IOException e) {
      // It costs nothing, and leftovers shows it.
    }
    return problem;
  }

  private static String look(Rentals rentals) {
    try {
      rentals.requireAccount();
      Map<String, String> handles = new TreeMap<>();
      for (Account account : rentals.ledger().accounts()) {
        if (account.mayCost()) {
          Rentals.Answer unused = rentals.end(account.node(), "ended after the run");
          Account.Granted granted = rentals.ledger().account(account.node()).granted();
          if (granted != null) {
            handles.put(account.node(), granted.handle());
          }
        }
      }
      Map<String, Instance> found = rentals.look(handles);
      for (String node : handles.keySet()) {
        Instance instance = found.get(node);
        if (instance == null ? rentals.isForgotten(node) : instance.isTerminated()) {
          Account.Gone unused = rentals.settle(node, instance);
        }
      }
      return "";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
