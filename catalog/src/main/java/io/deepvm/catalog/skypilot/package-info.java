/** SkyPilot-style CSV catalogs, one file a cloud, and the quirks of each cloud. */
@NullMarked
package io.deepvm.catalog.skypilot;

import org.jspecify.annotations.NullMarked;
