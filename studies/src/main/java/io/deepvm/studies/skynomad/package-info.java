/**
 * SkyNomad's published sweeps beside ours, with its simulator's own ways of billing.
 *
 * <p>The packed tables are made from {@code andylizf/skynomad-artifact} at 62b9aaa (August 2026;
 * copyright 2026 The SkyNomad Authors, Apache-2.0): traces of Google Cloud from October 2025 and of
 * Amazon Web Services from February 2023 as runs of equal ticks, the costs of three of its result
 * tables by window, and the table of the paper's appendix A.7.
 */
@NullMarked
package io.deepvm.studies.skynomad;

import org.jspecify.annotations.NullMarked;
