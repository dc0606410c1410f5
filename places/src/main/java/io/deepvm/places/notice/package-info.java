/** Notices of clouds that a machine will be taken, read on the machine itself. */
@NullMarked
package io.deepvm.places.notice;

import org.jspecify.annotations.NullMarked;
