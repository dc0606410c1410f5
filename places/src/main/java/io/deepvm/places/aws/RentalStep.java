package io.deepvm.places.aws;

/** The points of a rented machine's life between which a crash makes a difference. */
public enum RentalStep {
  /** The order has arrived, and nothing is written. */
  ORDER_ASKED,
  /** The order is on disk, and was not sent. */
  ORDER_WRITTEN,
  /** The order was sent; its answer may have been lost. */
  ORDER_SENT,
  /** The answer is there, and not on disk. */
  ORDER_ANSWERED,
  /** The answer is on disk, and no news says so. */
  GRANT_WRITTEN,
  /** The news was given. */
  GRANT_REPORTED,
  /** EC2 described the machine as running, for the first time. */
  MACHINE_SEEN,
  /** The node's start over ssh was asked for. */
  NODE_STARTED,
  /** The node can be reached. */
  NODE_REACHED,
  /** The end was asked for, and nothing is written. */
  END_ASKED,
  /** The end is owed on disk, and was not sent. */
  END_WRITTEN,
  /** The end was sent; its answer may have been lost. */
  END_SENT,
  /** EC2 has promised the end. */
  END_ANSWERED,
  /** EC2 described the machine as terminated. */
  END_SEEN,
  /** The prices of its life are known, and its bill is not on disk. */
  BILL_KNOWN,
  /** The bill is on disk, and no news says so. */
  BILL_WRITTEN,
  /** The news of the end was given. */
  GONE_REPORTED
}
