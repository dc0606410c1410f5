package io.deepvm.simulator.gang;

/**
 * What a policy sees at one tick of one cluster that runs as a whole or not at all, and what it may
 * do.
 *
 * <p>At most one cluster runs. A launch that succeeds replaces it; one that fails leaves it alone.
 * What was launched in a tick runs through that tick.
 */
public interface Gang {

  /** What runs. */
  enum Mode {
    NONE,
    SPOT,
    ON_DEMAND
  }

  /** Stands for no zone. */
  int NOWHERE = -1;

  int zones();

  /** A number that zones of one region share. */
  int region(int zone);

  /** How many ticks have passed. */
  int tick();

  double tickSeconds();

  /** Seconds since the start. */
  double now();

  GangJob job();

  /** Seconds of work done. */
  double done();

  /** Seconds of work that were done when the given tick, now or earlier, began. */
  double doneAt(int tick);

  /** Seconds of work to do. */
  double left();

  /** Seconds until what runs begins to work; means nothing when nothing runs. */
  double overheadLeft();

  Mode mode();

  /** Where it runs; {@link #NOWHERE} when nothing does. */
  int zone();

  /** The zone in which it ran last, where the checkpoint is; {@link #NOWHERE} at the start. */
  int leader();

  /** Tries to run on spot in the zone; true also where it does already. */
  boolean launchSpot(int zone);

  /** Runs on demand in the zone, which always succeeds. */
  void launchOnDemand(int zone);

  /** Stops what runs. */
  void terminate();

  /** Learns by a short launch, which costs, whether the zone is up. */
  boolean probe(int zone);

  /** Dollars charged for probes of the zone so far. */
  double probeDollars(int zone);

  /** Dollars per hour on spot, as far as a policy can know. */
  double spotPrice(int zone);

  /** Dollars per hour on demand. */
  double onDemandPrice(int zone);

  /** Dollars to carry the checkpoint from one zone to another. */
  double egress(int from, int to);
}
