package io.deepvm.transport;

/**
 * What an endpoint uses at the moment.
 *
 * @param connections open ones, proven or not
 * @param refused those that ended before their other side was proven
 * @param grantedBytes memory set aside for senders' credit
 * @param peakGrantedBytes the most that was ever set aside, never above the budget
 * @param lentBytes memory that holds bytes on their way to a sink
 * @param allocatedBytes memory behind all of it, never above the budget
 */
public record Usage(
    int connections,
    long refused,
    long grantedBytes,
    long peakGrantedBytes,
    long lentBytes,
    long allocatedBytes) {}
