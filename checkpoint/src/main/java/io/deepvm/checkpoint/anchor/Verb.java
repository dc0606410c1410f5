package io.deepvm.checkpoint.anchor;

/** What workers and anchors ask of each other. */
enum Verb {
  // Requests of a worker.
  GENERATION,
  CLAIM,
  WRITE,
  SHARD,
  SEAL,
  BREAK_OFF,
  COMMIT,
  READ,
  DELETE,
  CLOSE,
  WITHDRAW,
  // Transfers of a worker.
  APPEND,
  MANIFEST,
  PART,
  // What a worker fetches.
  SEALED,
  CONTENTS,
  BYTES,
  LIST,
  JOBS,
  // What an anchor sends to a worker: to commit, by transfer, and how it ended, by request.
  ASSEMBLED,
  ENDED
}
