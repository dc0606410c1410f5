package io.deepvm.cluster.link;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.base.BadInput;
import io.deepvm.cluster.output.PrintedLines;
import java.io.IOException;

/**
 * A message on a link. Each is a request of the transport; the side that connected greets first.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "message")
@JsonSubTypes({
  @JsonSubTypes.Type(value = LinkMessage.Hello.class, name = "hello"),
  @JsonSubTypes.Type(value = LinkMessage.Welcome.class, name = "welcome"),
  @JsonSubTypes.Type(value = LinkMessage.Call.class, name = "call"),
  @JsonSubTypes.Type(value = LinkMessage.Status.class, name = "status"),
  @JsonSubTypes.Type(value = LinkMessage.Printed.class, name = "printed"),
  @JsonSubTypes.Type(value = LinkMessage.Orders.class, name = "orders"),
  @JsonSubTypes.Type(value = LinkMessage.Alive.class, name = "alive"),
  @JsonSubTypes.Type(value = LinkMessage.Received.class, name = "received"),
})
sealed interface LinkMessage {

  /** The number of this protocol; sides with different numbers refuse each other. */
  int PROTOCOL = 1;

  /** An agent connected. {@link Welcome} answers. */
  record Hello(int protocol, String run, String node) implements LinkMessage {}

  /**
   * What an agent must know before its first orders.
   *
   * @param work what every node of the run does, as text
   * @param sessionMs the longest silence of a side that lives
   */
  record Welcome(String work, long sessionMs) implements LinkMessage {}

  /** The coordinator connected to the agent of this node. {@link Hello} answers. */
  record Call(int protocol, String run, String node, Welcome welcome) implements LinkMessage {}

  /** The agent's status. */
  record Status(AgentStatus status) implements LinkMessage {}

  /** Output of the node's command. */
  record Printed(PrintedLines lines) implements LinkMessage {}

  /** The coordinator's orders. */
  record Orders(AgentOrders orders) implements LinkMessage {}

  /** The orders of this version still hold. An agent that does not have them refuses this. */
  record Alive(long epoch, long version) implements LinkMessage {}

  /** The output of this number was received. */
  record Received(long number) implements LinkMessage {}

  /** Returns the message as bytes. */
  default byte[] encode() {
    try {
      return Json.MAPPER.writeValueAsBytes(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads a message, or refuses it. */
  static LinkMessage decode(byte[] bytes) {
    try {
      return Json.MAPPER.readValue(bytes, LinkMessage.class);
    } catch (IOException e) {
      throw new BadInput(
          "A message on the link cannot be read: %s.".formatted(e.getMessage()),
          "Maybe both sides need the same version of DeepVM.");
    }
  }

  /** Refuses a side that speaks another protocol or is of another run. */
  static void check(int protocol, String ourRun, String theirRun) {
    if (protocol != PROTOCOL) {
      throw new BadInput(
          "The other side speaks version %d of the link; this one speaks %d."
              .formatted(protocol, PROTOCOL),
          "Maybe both sides need the same version of DeepVM.");
    }
    if (!ourRun.equals(theirRun)) {
      throw new BadInput(
          "This side belongs to the run %s, the other to %s.".formatted(ourRun, theirRun),
          "Maybe the port belonged to another run before.");
    }
  }

  /** Reads and writes messages. */
  final class Json {

    private static final JsonMapper MAPPER =
        JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

    private Json() {}
  }
}
