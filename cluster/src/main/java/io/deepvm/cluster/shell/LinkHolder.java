package io.deepvm.cluster.shell;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.agent.AgentContact;
import io.deepvm.cluster.link.AgentLinks;
import io.deepvm.cluster.link.Links;
import io.deepvm.transport.Security;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Opens the links of a run where the agents of an earlier coordinator look for them. */
final class LinkHolder {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final RunFolder folder;
  private final RunSpec spec;
  private final String host;
  private final boolean agentsConnect;
  private final RunThread thread;
  private @Nullable AgentContact contact;

  /**
   * Prepares to open the links.
   *
   * @param agentsConnect whether agents connect to the coordinator, or wait for it
   */
  LinkHolder(RunFolder folder, RunSpec spec, String host, boolean agentsConnect, RunThread thread) {
    this.folder = folder;
    this.spec = spec;
    this.host = host;
    this.agentsConnect = agentsConnect;
    this.thread = thread;
  }

  Links open(Links.Listener listener) {
    int port = 0;
    try {
      int last = folder.port();
      port = last == 0 ? spec.port() : last;
      AgentLinks links =
          AgentLinks.open(
              new AgentLinks.Options(
                  spec.name(),
                  new InetSocketAddress(host, port),
                  Security.of(folder.secrets()),
                  work(),
                  Duration.ofMillis(Math.round(1000 * spec.work().timeouts().sessionSeconds())),
                  AgentLinks.COME_BACK,
                  thread,
                  System::nanoTime),
              listener);
      folder.keepPort(links.port());
      contact =
          agentsConnect ? new AgentContact.Dial(host, links.port()) : new AgentContact.Listen(0);
      return links;
    } catch (IOException e) {
      throw new BadInput(
          "The coordinator cannot listen on %s:%d: %s.".formatted(host, port, e.getMessage()),
          "Maybe another program has the port: name another, or none.");
    }
  }

  private String work() throws JsonProcessingException {
    return JSON.writeValueAsString(spec.work());
  }

  /** Returns how agents and the coordinator come together. */
  AgentContact contact() {
    if (contact == null) {
      throw new IllegalStateException("The links are not open.");
    }
    return contact;
  }
}
