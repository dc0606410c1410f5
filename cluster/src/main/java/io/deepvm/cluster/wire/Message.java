package io.deepvm.cluster.wire;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.deepvm.cluster.member.Report;
import io.deepvm.cluster.output.PrintedLines;
import org.jspecify.annotations.Nullable;

/** What an agent tells the coordinator. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "message")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Message.Said.class, name = "said"),
  @JsonSubTypes.Type(value = Message.Printed.class, name = "printed"),
  @JsonSubTypes.Type(value = Message.Launched.class, name = "launched"),
  @JsonSubTypes.Type(value = Message.Exited.class, name = "exited"),
  @JsonSubTypes.Type(value = Message.Silent.class, name = "silent"),
  @JsonSubTypes.Type(value = Message.Missed.class, name = "missed"),
})
public sealed interface Message {

  /** The training process reported this. */
  record Said(Report report) implements Message {}

  /** Processes of the command printed these lines; {@link Command.Received} answers. */
  record Printed(PrintedLines lines) implements Message {}

  /** A command was started for the generation. */
  record Launched(long generation) implements Message {}

  /**
   * The training processes ended by themselves, could not be started, or were ended because they
   * did not get ready or did not form.
   *
   * @param incarnation which of the agent's starts of training processes it was
   * @param generation the one they worked in; 0 before their first
   * @param code of the first that failed; 0 when all ended well
   * @param tail the end of its standard error
   * @param localRank the one that failed; null where the node has one process or none failed
   */
  record Exited(
      int incarnation, long generation, int code, String tail, @Nullable Integer localRank)
      implements Message {}

  /** The command of the generation has written nothing for too long, or writes again. */
  record Silent(long generation, boolean silent) implements Message {}

  /** Members of the generation did not come to where all stop before they start again. */
  record Missed(long generation) implements Message {}
}
