package io.deepvm.cluster.core;

/**
 * What a node's agent reported of its training process.
 *
 * @param number counts the processes that the agent has started
 * @param ready whether the process can join a generation
 * @param port where the process listens to other members
 * @param epoch the last coordinator that received a report, counted from 1
 */
public record AgentFacts(String host, int number, boolean ready, int port, long epoch) {}
