package io.deepvm.simulator.gang;

/** Knows how long spot will last, as only someone with the whole trace can. */
@FunctionalInterface
public interface RunLengths {

  /** Returns for how many hours from now the zone stays up; 0 where it is down. */
  double hours(Gang gang, int zone);

  /** Returns what the market will do. */
  static RunLengths of(GangMarket market) {
    return (gang, zone) -> market.run(zone, gang.tick()) * gang.tickSeconds() / 3600;
  }
}
