package io.deepvm.cluster.member;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/** A message from an agent to its training process. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "order")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Order.Form.class, name = "form"),
  @JsonSubTypes.Type(value = Order.Notice.class, name = "notice"),
  @JsonSubTypes.Type(value = Order.Stop.class, name = "stop"),
})
public sealed interface Order {

  /**
   * These are the members from now on; those of older generations count no more.
   *
   * @param rank this process's place in the list
   */
  record Form(long generation, int rank, List<Member> members) implements Order {
    public Form {
      members = List.copyOf(members);
    }
  }

  /** This node will be taken: save what must not be lost. */
  record Notice(double leadSeconds) implements Order {}

  /** End in order. */
  record Stop(String reason) implements Order {}
}
