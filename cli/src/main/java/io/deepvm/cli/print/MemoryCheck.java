package io.deepvm.cli.print;

/**
 * Whether a model fits the memory of the GPUs that are asked for.
 *
 * @param sentence what it needs, and how it is split where it must be
 */
public record MemoryCheck(boolean fits, String sentence) {}
