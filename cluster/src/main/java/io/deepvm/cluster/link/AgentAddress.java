package io.deepvm.cluster.link;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where an agent waits for its coordinator.
 *
 * @param agent its host and port; the proxy looks up a name that is not resolved, which counts as
 *     beyond loopback
 * @param proxy a SOCKS5 proxy on the way, like that of "ssh -D"; null if there is none
 */
public record AgentAddress(InetSocketAddress agent, @Nullable InetSocketAddress proxy) {}
