/** SkyNomad's published sweeps beside ours, with its simulator's own ways of billing. */
@NullMarked
package io.deepvm.studies.skynomad;

import org.jspecify.annotations.NullMarked;
