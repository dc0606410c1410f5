package io.deepvm.workload.averaging;

/** What a link runs over, which decides how much of its measured speed averaging sees. */
public enum LinkKind {
  /** Inside one region: faster than the hosts can pack gradients. */
  LOCAL,
  /** Inside one large cloud, or between two of them. */
  BACKBONE,
  /** The internet up to the edge of a large cloud: from own machines or a small cloud. */
  PUBLIC,
  /** The internet all the way, with no large cloud at either end; streams share the path. */
  TRANSIT
}
