package io.deepvm.cluster.member;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** A message from a training process to its agent. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "report")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Report.Ready.class, name = "ready"),
  @JsonSubTypes.Type(value = Report.Forming.class, name = "forming"),
  @JsonSubTypes.Type(value = Report.Formed.class, name = "formed"),
  @JsonSubTypes.Type(value = Report.Step.class, name = "step"),
  @JsonSubTypes.Type(value = Report.Suspect.class, name = "suspect"),
  @JsonSubTypes.Type(value = Report.Saved.class, name = "saved"),
  @JsonSubTypes.Type(value = Report.Finished.class, name = "finished"),
})
public sealed interface Report {

  /** Calls the visitor's method for this kind of report. */
  void accept(Visitor visitor);

  /** It has started and listens to other members on this port. */
  record Ready(int port) implements Report {
    @Override
    public void accept(Visitor visitor) {
      visitor.ready(this);
    }
  }

  /** It is still getting the state that it needs to train in this generation. */
  record Forming(long generation) implements Report {
    @Override
    public void accept(Visitor visitor) {
      visitor.forming(this);
    }
  }

  /**
   * It trains in this generation.
   *
   * @param step the committed steps it starts from
   * @param from where its state came from
   */
  record Formed(long generation, long step, Origin from) implements Report {
    @Override
    public void accept(Visitor visitor) {
      visitor.formed(this);
    }
  }

  /**
   * A step is committed.
   *
   * @param step how many are committed now
   * @param samples how many samples all members have trained on so far
   * @param loss the mean over the step's samples
   * @param computeSeconds of this process, as are the other parts
   */
  record Step(
      long generation,
      long step,
      long samples,
      double loss,
      double computeSeconds,
      double communicationSeconds,
      double waitSeconds,
      double checkpointSeconds)
      implements Report {
    @Override
    public void accept(Visitor visitor) {
      visitor.step(this);
    }
  }

  /** It cannot reach another member. */
  record Suspect(long generation, String node, String reason) implements Report {
    @Override
    public void accept(Visitor visitor) {
      visitor.suspect(this);
    }
  }

  /**
   * A checkpoint has come this far.
   *
   * @param state as a checkpoint's ticket calls it: REPLICATED, DURABLE, FAILED
   */
  record Saved(long step, String state, String reason) implements Report {
    @Override
    public void accept(Visitor visitor) {
      visitor.saved(this);
    }
  }

  /** All the work is done. */
  record Finished(long step, long samples, double loss) implements Report {
    @Override
    public void accept(Visitor visitor) {
      visitor.finished(this);
    }
  }

  /** Where the state that training goes on with came from. */
  enum Origin {
    FRESH,
    KEPT,
    PEER,
    CHECKPOINT
  }

  /** Takes every kind of report in. */
  interface Visitor {
    void ready(Ready report);

    void forming(Forming report);

    void formed(Formed report);

    void step(Step report);

    void suspect(Suspect report);

    void saved(Saved report);

    void finished(Finished report);
  }
}
