/** Provisioning for parameter servers: which workers reach a loss by a deadline most cheaply. */
@NullMarked
package io.deepvm.planner.parameterserver;

import org.jspecify.annotations.NullMarked;
