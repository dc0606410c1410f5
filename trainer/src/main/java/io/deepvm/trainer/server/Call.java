package io.deepvm.trainer.server;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.trainer.member.Totals;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What servers and workers say to each other. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "call")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Call.Hello.class, name = "hello"),
  @JsonSubTypes.Type(value = Call.Start.class, name = "start"),
  @JsonSubTypes.Type(value = Call.Kept.class, name = "kept"),
  @JsonSubTypes.Type(value = Call.Lease.class, name = "lease"),
  @JsonSubTypes.Type(value = Call.Turn.class, name = "turn"),
  @JsonSubTypes.Type(value = Call.Had.class, name = "had"),
  @JsonSubTypes.Type(value = Call.Count.class, name = "count"),
  @JsonSubTypes.Type(value = Call.Save.class, name = "save"),
  @JsonSubTypes.Type(value = Call.Finish.class, name = "finish"),
})
sealed interface Call {

  JsonMapper JSON = JsonMapper.builder().build();

  /** Returns the generation it was made in. */
  long generation();

  /**
   * A server to the first one: this is what I keep.
   *
   * @param epoch in which generation its state began; -1 without one
   * @param part which part of how many it keeps
   */
  record Hello(long generation, int part, long epoch, int keptPart, int keptParts)
      implements Call {}

  /**
   * The first server to all: we go on.
   *
   * @param epoch in which generation the state began: servers that have another one fetch it
   */
  record Start(long generation, long epoch, Totals totals, boolean restored) implements Call {}

  /**
   * A worker to the first server: this lease is done, give me one. The answer is a {@link Grant}.
   *
   * @param done the lease that all servers have applied; -1 if none
   */
  record Lease(long generation, int worker, long done, double loss) implements Call {}

  /** The direction of a server's link. */
  enum Way {
    PUSH,
    PULL
  }

  /** A worker to a server: may I? The answer is empty when it shall ask again. */
  record Turn(long generation, int worker, Way way) implements Call {}

  /** A worker to a server: I have pulled. That it has pushed, the server sees for itself. */
  record Had(long generation, int worker) implements Call {}

  /** A server to the first one: I have my part of this generation's state. */
  record Kept(long generation, int part) implements Call {}

  /** The first server to another: how many updates have you applied? */
  record Count(long generation) implements Call {}

  /** To the first server: save soon, since this server will be lost. */
  record Save(long generation) implements Call {}

  /** The first server to all: the work is done. */
  record Finish(long generation, Totals totals) implements Call {}

  /**
   * What a worker may do.
   *
   * @param lease the micro-batch to train on; {@link #WAIT} or {@link #DONE} if there is none
   * @param totals of all work so far; null while a worker must wait
   * @param checkpointSeconds for how long saving has kept all waiting, sent once
   */
  record Grant(long lease, @Nullable Totals totals, double checkpointSeconds) {

    static final long WAIT = -1;
    static final long DONE = -2;

    byte[] bytes() {
      return write(this);
    }

    static Grant of(byte[] bytes) {
      try {
        return JSON.readValue(bytes, Grant.class);
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Returns it as bytes. */
  default byte[] bytes() {
    try {
      return JSON.writerFor(Call.class).writeValueAsBytes(this);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] write(Object what) {
    try {
      return JSON.writeValueAsBytes(what);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads one. */
  static Call of(byte[] bytes) throws IOException {
    return JSON.readValue(bytes, Call.class);
  }
}
