package io.deepvm.planner;

/** What a user can set of a request. How a setting is called is up to the user's interface. */
public enum Setting {
  MAX_PRICE_PER_HOUR,
  MAX_COST,
  DEADLINE,
  CONFIDENCE,
  TARGET_LOSS,
  MARKET,
  PLACE,
  GPU,
  EXCLUDE,
  VENDOR,
  GPU_MEMORY,
  QUOTAS,
  COMPAT
}
