package io.deepvm.cluster.member;

/**
 * One training process of a generation.
 *
 * @param node the node it runs on, a name that is never used again in the run
 * @param host where its port can be reached
 * @param port where it listens to the other members
 */
public record Member(String node, Role role, String host, int port) {}
