package io.deepvm.cluster.core;

/**
 * A command that failed; another node's loss may turn out to be the cause until the time is up.
 *
 * @param generation in which it failed
 * @param dueMs when the command itself is to blame
 */
record Failure(String node, String what, long generation, long dueMs) {}
