/** What a plan will take and cost on a market, from formulas instead of simulated runs. */
@NullMarked
package io.deepvm.simulator.forecast;

import org.jspecify.annotations.NullMarked;
