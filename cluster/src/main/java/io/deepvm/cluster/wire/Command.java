package io.deepvm.cluster.wire;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.deepvm.cluster.output.LogRanks;

/** What the coordinator tells an agent. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "command")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Command.Here.class, name = "here"),
  @JsonSubTypes.Type(value = Command.Notice.class, name = "notice"),
  @JsonSubTypes.Type(value = Command.Spare.class, name = "spare"),
  @JsonSubTypes.Type(value = Command.Restart.class, name = "restart"),
  @JsonSubTypes.Type(value = Command.Kill.class, name = "kill"),
  @JsonSubTypes.Type(value = Command.Stop.class, name = "stop"),
  @JsonSubTypes.Type(value = Command.Show.class, name = "show"),
  @JsonSubTypes.Type(value = Command.Received.class, name = "received"),
})
public sealed interface Command {

  /** The coordinator lives. */
  record Here() implements Command {}

  /** The node will be taken in so many seconds. */
  record Notice(double leadSeconds) implements Command {}

  /** The notice is taken back. */
  record Spare() implements Command {}

  /** Start the training process again that ended. */
  record Restart() implements Command {}

  /** Kill the training process; that it ended is told as ever, with this reason. */
  record Kill(String reason) implements Command {}

  /** End the training process in order, and yourself. */
  record Stop(String reason) implements Command {}

  /** Send the output of these ranks. */
  record Show(LogRanks ranks) implements Command {}

  /** The output of this number has been received. */
  record Received(long number) implements Command {}
}
