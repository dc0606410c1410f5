package io.deepvm.trainer.averaging;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.trainer.member.Totals;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The messages between members; rank 0 is one end of each. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "word")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Word.Hello.class, name = "hello"),
  @JsonSubTypes.Type(value = Word.Start.class, name = "start"),
  @JsonSubTypes.Type(value = Word.Take.class, name = "take"),
  @JsonSubTypes.Type(value = Word.Whole.class, name = "whole"),
  @JsonSubTypes.Type(value = Word.Commit.class, name = "commit"),
  @JsonSubTypes.Type(value = Word.Check.class, name = "check"),
})
sealed interface Word {

  JsonMapper JSON = JsonMapper.builder().build();

  /** Returns the generation it was said in. */
  long generation();

  /**
   * A member's part of a step under way.
   *
   * @param held the micro-batches in its accumulator
   * @param loss the sum over their samples
   */
  record Share(List<Integer> held, double loss, long ledger) {
    public Share {
      held = List.copyOf(held);
    }
  }

  /**
   * To rank 0: this is what I come with.
   *
   * @param totals null without a state
   * @param whole in which generation it got the whole sum of the step under way; -1 if it has not
   */
  record Hello(long generation, int rank, @Nullable Totals totals, Share share, long whole)
      implements Word {}

  /** What a member does with what it came with. */
  enum Part {
    /** Goes on. */
    KEEP,
    /** Takes the step whose sum it holds, since others have. */
    APPLY,
    /** Keeps its state, but what it accumulated was given to others. */
    DROP,
    /** Fetches the state of another member. */
    FETCH
  }

  /** From rank 0: this is where we go on. */
  record Start(long generation, Totals totals, int source, List<Part> parts) implements Word {
    public Start {
      parts = List.copyOf(parts);
    }
  }

  /**
   * To rank 0: I want a micro-batch. The answer is its number, or -1.
   *
   * @param count how many this member has asked for in this step; asking again changes nothing
   */
  record Take(long generation, long step, int rank, int count) implements Word {}

  /** To rank 0: I hold the whole sum, of which this was my share. */
  record Whole(long generation, long step, int rank, Share share) implements Word {}

  /** From rank 0: all hold the sum, so take the step; these are the totals then. */
  record Commit(long generation, Totals totals) implements Word {}

  /** To the source of a state: is it still that of this step? The answer is 1 or 0. */
  record Check(long generation, long step) implements Word {}

  /** Returns it as bytes. */
  default byte[] bytes() {
    try {
      return JSON.writerFor(Word.class).writeValueAsBytes(this);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads one. */
  static Word of(byte[] bytes) throws IOException {
    return JSON.readValue(bytes, Word.class);
  }
}
