package io.deepvm.catalog;

import io.deepvm.base.Bandwidth;
import io.deepvm.base.Money;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What lies between two places, from the sender to the receiver; what is not known is null.
 *
 * @param bandwidth as measured with one TCP stream; the network cards at both ends may allow less,
 *     and many streams together more
 * @param many TCP streams together carry at most this between large machines
 * @param latency the round trip
 * @param egressPerGb what the clouds charge for 10^9 bytes, at both ends where both are billed
 * @param source where the figures come from; empty when nothing is known
 */
public record Wire(
    @Nullable Bandwidth bandwidth,
    @Nullable Bandwidth many,
    @Nullable Duration latency,
    @Nullable Money egressPerGb,
    String source) {}
