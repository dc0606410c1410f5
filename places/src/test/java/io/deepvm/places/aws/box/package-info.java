/** A cloud on this machine: the fake EC2, with a network namespace for each instance. */
@NullMarked
package io.deepvm.places.aws.box;

import org.jspecify.annotations.NullMarked;
