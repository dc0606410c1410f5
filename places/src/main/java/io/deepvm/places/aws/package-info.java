/** Machines rented from AWS EC2, reached by ssh. */
@NullMarked
package io.deepvm.places.aws;

import org.jspecify.annotations.NullMarked;
