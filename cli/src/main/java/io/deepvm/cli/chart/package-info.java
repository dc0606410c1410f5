/** Charts as SVG, PNG or HTML files; the only package that loads JFreeChart. */
@NullMarked
package io.deepvm.cli.chart;

import org.jspecify.annotations.NullMarked;
