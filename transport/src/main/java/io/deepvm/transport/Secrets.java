package io.deepvm.transport;

import java.util.List;

/** The secrets of an endpoint, which may change while it runs. */
public interface Secrets {

  /**
   * Returns the secrets of connections from one role to another, the newest first. Connecting uses
   * the first one; being connected to accepts any. It is empty if this side holds none.
   */
  List<Token> between(Role from, Role to);

  /** Returns secrets that are all derived from one token, which never changes. */
  static Secrets of(Token token) {
    return (from, to) -> List.of(token.between(from, to));
  }
}
