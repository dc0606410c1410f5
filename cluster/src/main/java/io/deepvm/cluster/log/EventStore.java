package io.deepvm.cluster.log;

import java.io.IOException;

/** Keeps the events of a run. */
public interface EventStore extends AutoCloseable {

  /** Adds an event; it survives a crash after the next {@link #sync}. */
  void append(Logged logged) throws IOException;

  /** Puts on disk what was added. */
  void sync() throws IOException;

  @Override
  void close() throws IOException;
}
