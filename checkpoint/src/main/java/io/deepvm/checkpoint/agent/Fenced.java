package io.deepvm.checkpoint.agent;

/** A client that wants to go on finds that another one has taken its place. */
final class Fenced extends Exception {

  Fenced(long generation) {
    super("Another client has taken over as generation %d.".formatted(generation));
  }

  String wayOut() {
    return "Maybe this process was thought dead; end it, the other one goes on.";
  }
}
