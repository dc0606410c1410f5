package io.deepvm.checkpoint.tier;

/** The steps of the protocol between which a crash makes a difference. */
public enum FaultPoint {
  /** The state is in the arena, nothing is written. */
  AFTER_STAGE,
  /** Some bytes of a shard are written; passed once for every write. */
  MID_SHARD_WRITE,
  /** All bytes of a shard are written, none need be on the disk. */
  BEFORE_SHARD_FSYNC,
  /** The shard is on the disk under its temporary name. */
  BEFORE_SHARD_RENAME,
  /** The shard has its name, the folder need not know it durably. */
  AFTER_SHARD_RENAME,
  /** All shards are acknowledged. */
  BEFORE_MANIFEST,
  /** Half of the manifest is written under a temporary name. */
  MID_MANIFEST,
  /** The manifest is on the disk under its temporary name. */
  BEFORE_MANIFEST_RENAME,
  /** The manifest has its name, and nobody knows it yet. */
  AFTER_MANIFEST,
  /** A version has lost its manifest, its shards are still there. */
  DURING_DELETE
}
