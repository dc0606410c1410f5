package io.deepvm.simulator.gang;

/** What an hour of progress is worth at the moment, in dollars: SkyNomad's V. */
public interface Valuation {

  /** What is expected of the zones. */
  interface Outlook {

    /** Hours that spot in the zone is expected to last. */
    double lifeHours(Gang gang, int zone);

    /** The share of recent time in which the zone was seen up. */
    double availability(int zone);
  }

  /** Returns dollars per hour. */
  double dollarsPerHour(Gang gang, Outlook outlook);
}
