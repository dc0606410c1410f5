package io.deepvm.places.slurm;

/**
 * A job that Slurm has not forgotten and that has not ended.
 *
 * @param state like RUNNING or PENDING
 * @param node where it runs; empty while it waits
 * @param reason why it waits
 */
public record SlurmJob(String id, String name, String state, String node, String reason) {}
