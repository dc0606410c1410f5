package io.deepvm.checkpoint;

/** What to do with a save for which the arena has no room, because storage is behind. */
public enum Behind {
  /** Drop the oldest saves that have not begun to be written; the newest wins. */
  COALESCE,
  /** Leave the new save out. */
  SKIP,
  /** Let training wait until there is room. */
  BLOCK
}
