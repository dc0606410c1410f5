package io.deepvm.simulator.gang;

import io.deepvm.simulator.gang.Gang.Mode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Runs where an hour is worth most above its price: progress is given a value, each zone a lifetime
 * from what was seen of it, and the gang moves when the gain exceeds a margin. Zones that are not
 * used are probed at intervals.
 */
public final class SkyNomad implements GangPolicy {

  private static final double HOUR = 3600;
  private static final double LEAST = 1e-6;
  private static final double MARGIN = 0.5;
  private static final double MARGIN_PER_GB = 0.0002;
  private static final double MARGIN_PER_VALUE = 0.05;
  private static final int PROBE_EVERY_TICKS = 6;
  private static final double AVAILABILITY_WINDOW_SECONDS = 43_200;

  /**
   * What may be chosen.
   *
   * @param valuation what progress is worth
   * @param longestHours beyond which no lifetime is believed
   * @param virtualRuns whether a probe that succeeded counts as a run that has not failed yet
   */
  public record Settings(Valuation valuation, double longestHours, boolean virtualRuns) {}

  /**
   * What the last step went by.
   *
   * @param ageHours of the open runs; not a number where there is none
   */
  public record Reading(
      double value,
      int origin,
      double[] lifeHours,
      double[] availability,
      double[] burst,
      double[] ageHours,
      double[] prices) {}

  private final Settings settings;
  private final Quirks quirks;
  private final @Nullable RunLengths oracle;
  private final Valuation.Outlook outlook = new Seen();

  private ZoneRecord[] records = {};
  private double[] life = {};
  private double[] ages = {};
  private double[] availability = {};
  private double[] prices = {};
  private double[] probedAge = {};
  private double[] probeDollars = {};
  private int[] nextProbe = {};
  private boolean[] probing = {};
  private boolean[] launchFailed = {};
  private Virtual[] virtual = {};
  private double[] optionValue = {};
  private int[] option = {};
  private int options;

  private double value;
  private int origin;
  private int own;
  private boolean endedByUs;
  private int lastZone;

  /** What a probe has last shown of a zone. */
  private enum Virtual {
    UNKNOWN,
    UP,
    DOWN
  }

  private SkyNomad(Settings settings, Quirks quirks, @Nullable RunLengths oracle) {
    this.settings = settings;
    this.quirks = quirks;
    this.oracle = oracle;
  }

  /** Returns the policy that learns how long zones last. */
  public static SkyNomad learning(Settings settings, Quirks quirks) {
    return new SkyNomad(settings, quirks, null);
  }

  /** Returns the policy that knows how long zones last and need not probe: SkyNomad(o). */
  public static SkyNomad knowing(RunLengths oracle, Settings settings, Quirks quirks) {
    return new SkyNomad(settings, quirks, oracle);
  }

  @Override
  public void start(Gang gang) {
    int zones = gang.zones();
    if (records.length != zones) {
      records = new ZoneRecord[zones];
      Arrays.setAll(records, z -> new ZoneRecord());
    }
    for (ZoneRecord record : records) {
      record.clear();
    }
    life = new double[zones];
    ages = new double[zones];
    availability = new double[zones];
    prices = new double[zones];
    probedAge = new double[zones];
    probeDollars = new double[zones];
    nextProbe = new int[zones];
    probing = new boolean[zones];
    launchFailed = new boolean[zones];
    virtual = new Virtual[zones];
    Arrays.fill(virtual, Virtual.UNKNOWN);
    optionValue = new double[2 * zones + 1];
    option = new int[2 * zones + 1];
    own = Gang.NOWHERE;
    endedByUs = false;
    lastZone = Gang.NOWHERE;
  }

  /** Returns what the last step went by. */
  public Reading reading() {
    double[] bursts = Arrays.stream(records).mapToDouble(ZoneRecord::burst).toArray();
    return new Reading(
        value, origin, life.clone(), availability.clone(), bursts, ages.clone(), prices.clone());
  }

  @Override
  public void step(Gang gang) {
    noticeLoss(gang);
    observe(gang);
    value = settings.valuation().dollarsPerHour(gang, outlook);
    for (int z = 0; z < gang.zones(); z++) {
      if (oracle != null) {
        life[z] = oracle.hours(gang, z);
      }
      prices[z] = gang.spotPrice(z);
    }
    if (gang.mode() != Mode.NONE) {
      lastZone = gang.zone();
    }
    origin = lastZone;
    double current = currentValue(gang);
    listOptions(gang, current);
    int primary = choose(gang, current);
    if (oracle == null) {
      probe(gang, primary);
    }
  }

  /** Closes the record of the own run if it is gone. */
  private void noticeLoss(Gang gang) {
    if (own != Gang.NOWHERE && (gang.mode() != Mode.SPOT || gang.zone() != own)) {
      records[own].end(gang.now(), !endedByUs);
      if (!quirks.misreadsMoves()) {
        virtual[own] = Virtual.DOWN;
      }
      own = Gang.NOWHERE;
      endedByUs = false;
    }
  }

  private void observe(Gang gang) {
    double now = gang.now();
    double tickHours = gang.tickSeconds() / HOUR;
    for (int z = 0; z < records.length; z++) {
      if (settings.virtualRuns()) {
        double dollars = gang.probeDollars(z);
        if (dollars - probeDollars[z] > 1e-9) {
          probedAge[z] += (dollars - probeDollars[z]) / gang.spotPrice(z);
          probeDollars[z] = dollars;
        }
      }
      ZoneRecord record = records[z];
      ages[z] = record.age(now);
      record.observe(now, tickHours, settings.virtualRuns());
      availability[z] = record.availability(Math.max(0, now - AVAILABILITY_WINDOW_SECONDS), now);
      if (oracle == null) {
        double age = Double.isNaN(ages[z]) ? 0 : ages[z];
        if (settings.virtualRuns()) {
          age = Math.max(age, probedAge[z]);
        }
        double hours = Math.min(record.expectedLife(age, tickHours), settings.longestHours());
        life[z] = Math.min(hours, remainingHours(gang));
      }
    }
  }

  private static double remainingHours(Gang gang) {
    return (gang.job().deadlineSeconds() - gang.now()) / HOUR;
  }

  /** What the valuation sees; known lifetimes are looked up only when asked for. */
  private final class Seen implements Valuation.Outlook {
    @Override
    public double lifeHours(Gang gang, int zone) {
      return oracle == null ? life[zone] : Math.min(oracle.hours(gang, zone), remainingHours(gang));
    }

    @Override
    public double availability(int zone) {
      return availability[zone];
    }
  }

  private double currentValue(Gang gang) {
    return switch (gang.mode()) {
      case NONE -> 0;
      case SPOT -> spotValue(gang, gang.zone(), true);
      case ON_DEMAND -> value - gang.onDemandPrice(gang.zone());
    };
  }

  /** Dollars per hour that spot in the zone is worth above its price. */
  private double spotValue(Gang gang, int zone, boolean running) {
    double hours = life[zone];
    double useful = running ? hours : hours - gang.job().restartSeconds() / HOUR;
    if (useful <= 0) {
      return Double.NEGATIVE_INFINITY;
    }
    return (value * useful - prices[zone] * hours) / hours;
  }

  /** Lists what is worth considering: nothing at all, then every zone on spot, then on demand. */
  private void listOptions(Gang gang, double current) {
    int zones = gang.zones();
    boolean running = gang.mode() != Mode.NONE;
    double margin = MARGIN + MARGIN_PER_GB * gang.job().checkpointGb() + MARGIN_PER_VALUE * value;
    options = 0;
    // Spot that loses a little is kept: its restart is paid, another one would follow soon.
    if (quirks.noneKeepsPaying() || gang.mode() != Mode.SPOT) {
      add(0, 0);
    }
    for (int z = 0; z < zones; z++) {
      boolean same = gang.mode() == Mode.SPOT && gang.zone() == z;
      double worth = spotValue(gang, z, same);
      if (origin != Gang.NOWHERE && origin != z) {
        worth -= gang.egress(origin, z) / Math.max(life[z], LEAST);
      }
      if (worth >= 0 && !(running && z != gang.zone() && worth <= current + margin)) {
        add(worth, 1 + z);
      }
    }
    for (int z = 0; z < zones; z++) {
      double worth = onDemandValue(gang, z);
      boolean same = gang.mode() == Mode.ON_DEMAND && gang.zone() == z;
      if (worth >= 0 && !same && !(running && worth <= current + margin)) {
        add(worth, 1 + zones + z);
      }
    }
  }

  private double onDemandValue(Gang gang, int zone) {
    double restart = gang.job().restartSeconds() / HOUR;
    double egress = origin != Gang.NOWHERE && origin != zone ? gang.egress(origin, zone) : 0;
    double perHour = value - gang.onDemandPrice(zone);
    if (quirks.restartAsLumpSum()) {
      return origin != Gang.NOWHERE && origin != zone
          ? perHour - (restart * value + egress)
          : perHour;
    }
    double hours = gang.left() / HOUR + restart;
    return perHour - (restart * value + egress) / hours;
  }

  /** Keeps the options sorted, the best first, equal ones in the order of their coming. */
  private void add(double worth, int what) {
    int at = options++;
    while (at > 0 && optionValue[at - 1] < worth) {
      optionValue[at] = optionValue[at - 1];
      option[at] = option[at - 1];
      at--;
    }
    optionValue[at] = worth;
    option[at] = what;
  }

  /** Takes the best option that can be had; returns the zone that then is in use. */
  private int choose(Gang gang, double current) {
    int zones = gang.zones();
    Mode oldMode = gang.mode();
    int oldZone = gang.zone();
    for (int i = 0; i < options && optionValue[i] > current; i++) {
      if (option[i] == 0) {
        chooseNothing(gang);
        return Gang.NOWHERE;
      }
      int zone = (option[i] - 1) % zones;
      boolean spot = option[i] <= zones;
      if (zone == oldZone && (spot ? Mode.SPOT : Mode.ON_DEMAND) == oldMode) {
        continue;
      }
      if (spot ? launchSpot(gang, zone) : launchOnDemand(gang, zone)) {
        lastZone = zone;
        if (quirks.misreadsMoves() && oldMode != Mode.NONE) {
          endedByUs |= own == oldZone;
          setVirtual(gang, oldZone, false);
        }
        return zone;
      }
    }
    return oldZone;
  }

  private void chooseNothing(Gang gang) {
    if (quirks.noneKeepsPaying()) {
      lastZone = Gang.NOWHERE;
    } else if (gang.mode() != Mode.NONE) {
      closeOwnRun(gang);
      gang.terminate();
    }
  }

  private boolean launchOnDemand(Gang gang, int zone) {
    if (!quirks.misreadsMoves()) {
      closeOwnRun(gang);
    }
    gang.launchOnDemand(zone);
    return true;
  }

  private boolean launchSpot(Gang gang, int zone) {
    ZoneRecord record = records[zone];
    if (probing[zone]) {
      record.end(gang.now(), false);
      record.forgetVirtualAge();
      probing[zone] = false;
    }
    if (!gang.launchSpot(zone)) {
      launchFailed[zone] = true;
      record.failure();
      setVirtual(gang, zone, false);
      return false;
    }
    if (!quirks.misreadsMoves()) {
      closeOwnRun(gang);
    }
    record.startReal(gang.now());
    own = zone;
    endedByUs = false;
    launchFailed[zone] = false;
    return true;
  }

  /** Records that the own run was given up, which shows nothing about the zone. */
  private void closeOwnRun(Gang gang) {
    if (own != Gang.NOWHERE) {
      records[own].end(gang.now(), false);
      virtual[own] = Virtual.UNKNOWN;
      own = Gang.NOWHERE;
    }
  }

  private void probe(Gang gang, int primary) {
    for (int z = 0; z < gang.zones(); z++) {
      if (z == primary || probing[z] || launchFailed[z] || gang.tick() < nextProbe[z]) {
        continue;
      }
      boolean up = gang.probe(z);
      if (up) {
        records[z].start(gang.now(), true);
        probing[z] = true;
      } else {
        records[z].failure();
        records[z].forgetVirtualAge();
      }
      setVirtual(gang, z, up);
      nextProbe[z] = gang.tick() + PROBE_EVERY_TICKS;
    }
    Arrays.fill(launchFailed, false);
  }

  /** Takes a probe's answer for the beginning or the end of a run, where settings say so. */
  private void setVirtual(Gang gang, int zone, boolean up) {
    if (!settings.virtualRuns() || own == zone) {
      return;
    }
    Virtual before = virtual[zone];
    Virtual after = up ? Virtual.UP : Virtual.DOWN;
    if (before != after) {
      if (up) {
        records[zone].start(gang.now(), true);
      } else if (before == Virtual.UP) {
        records[zone].end(gang.now(), true);
      }
      virtual[zone] = after;
    }
  }
}
