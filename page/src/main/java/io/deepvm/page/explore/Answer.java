package io.deepvm.page.explore;

/**
 * What a command answered.
 *
 * @param exit its exit code
 * @param out its results
 * @param err its messages
 */
public record Answer(int exit, String out, String err) {}
