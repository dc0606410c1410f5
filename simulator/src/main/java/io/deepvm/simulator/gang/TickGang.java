package io.deepvm.simulator.gang;

import java.util.Arrays;

/**
 * The mechanics of a gang in a market of ticks: launches, restarts, progress and moves.
 *
 * <p>Progress is never lost; a launch costs the restart time and, to another region, the carrying
 * of the checkpoint. What is billed is left to the kind of environment.
 */
public abstract class TickGang implements Gang {

  private static final double HOUR = 3600;

  private final GangMarket market;
  private final GangJob job;
  private final double tickSeconds;
  private final int zones;
  private final double[] doneAt;
  private final double[] probeDollars;
  private final boolean[] probed;
  private boolean anyProbed;
  private int tick;
  private double done;
  private double overhead;
  private Mode mode = Mode.NONE;
  private int zone = NOWHERE;
  private int leader = NOWHERE;
  private boolean launched;
  private double billed;
  private double carried;
  private int migrations;

  protected TickGang(GangMarket market, GangJob job) {
    this.market = market;
    this.job = job;
    this.tickSeconds = market.tickSeconds();
    this.zones = market.zones();
    this.doneAt = new double[market.ticks() + 2];
    this.probeDollars = new double[zones];
    this.probed = new boolean[zones];
  }

  /** Ends the tick: what ran is billed, has worked, and may be taken back as the next begins. */
  protected final void pass() {
    bill();
    work();
    if (anyProbed) {
      Arrays.fill(probed, false);
      anyProbed = false;
    }
    launched = false;
    tick++;
    doneAt[tick] = done;
    if (mode == Mode.SPOT && !market.up(zone, tick)) {
      stop();
    }
  }

  /** Charges for the tick that ends, through {@link #charge} and {@link #noteProbe}. */
  protected abstract void bill();

  private void work() {
    if (mode == Mode.NONE) {
      return;
    }
    if (launched) {
      overhead = job.restartSeconds();
      if (leader != NOWHERE && leader != zone) {
        migrations++;
        carried += egress(leader, zone);
      }
    }
    double gain = Math.min(Math.max(tickSeconds - overhead, 0), job.workSeconds() - done);
    overhead = Math.max(overhead - tickSeconds, 0);
    done += gain;
    leader = zone;
  }

  private void stop() {
    mode = Mode.NONE;
    zone = NOWHERE;
    launched = false;
  }

  /** Adds the price of this many seconds to the bill. */
  protected final void charge(double perHour, double seconds) {
    billed += perHour * (seconds / HOUR);
  }

  /** Notes the price of this many seconds as spent on probing the zone, without charging it. */
  protected final void noteProbe(int probedZone, double perHour, double seconds) {
    probeDollars[probedZone] += perHour * (seconds / HOUR);
  }

  /** Whether the zone was probed with success in this tick. */
  protected final boolean probed(int zone) {
    return probed[zone];
  }

  /** Whether any zone was probed with success in this tick. */
  protected final boolean anyProbed() {
    return anyProbed;
  }

  protected final GangMarket market() {
    return market;
  }

  /** Whether no work is left. */
  protected final boolean finished() {
    return left() <= GangJob.NOTHING_SECONDS;
  }

  /** Dollars so far. */
  protected final double dollars() {
    return billed + carried;
  }

  /** Dollars for carrying checkpoints so far. */
  protected final double egressDollars() {
    return carried;
  }

  /** Dollars for probes so far. */
  protected final double probeDollars() {
    double sum = 0;
    for (double dollars : probeDollars) {
      sum += dollars;
    }
    return sum;
  }

  /** Moves to another zone so far. */
  protected final int migrations() {
    return migrations;
  }

  @Override
  public final int zones() {
    return zones;
  }

  @Override
  public final int region(int zone) {
    return market.region(zone);
  }

  @Override
  public final int tick() {
    return tick;
  }

  @Override
  public final double tickSeconds() {
    return tickSeconds;
  }

  @Override
  public final double now() {
    return tick * tickSeconds;
  }

  @Override
  public final GangJob job() {
    return job;
  }

  @Override
  public final double done() {
    return done;
  }

  @Override
  public final double doneAt(int tick) {
    return doneAt[tick];
  }

  @Override
  public final double left() {
    return job.workSeconds() - done;
  }

  @Override
  public final double overheadLeft() {
    return overhead;
  }

  @Override
  public final Mode mode() {
    return mode;
  }

  @Override
  public final int zone() {
    return zone;
  }

  @Override
  public final int leader() {
    return leader;
  }

  @Override
  public boolean launchSpot(int zone) {
    if (mode == Mode.SPOT && this.zone == zone) {
      return true;
    }
    if (!market.up(zone, tick)) {
      return false;
    }
    launch(zone, Mode.SPOT);
    return true;
  }

  @Override
  public final void launchOnDemand(int zone) {
    if (mode != Mode.ON_DEMAND || this.zone != zone) {
      launch(zone, Mode.ON_DEMAND);
    }
  }

  private void launch(int zone, Mode mode) {
    checkNotFresh();
    this.zone = zone;
    this.mode = mode;
    launched = true;
  }

  @Override
  public final void terminate() {
    checkNotFresh();
    stop();
  }

  private void checkNotFresh() {
    if (launched) {
      throw new IllegalStateException("What was launched in a tick runs through that tick");
    }
  }

  @Override
  public boolean probe(int zone) {
    if (!market.up(zone, tick)) {
      return false;
    }
    probed[zone] = true;
    anyProbed = true;
    return true;
  }

  @Override
  public final double probeDollars(int zone) {
    return probeDollars[zone];
  }

  @Override
  public final double onDemandPrice(int zone) {
    return market.onDemand(zone);
  }

  @Override
  public final double egress(int from, int to) {
    return market.egress(from, to, job.checkpointGb());
  }
}
