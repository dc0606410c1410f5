package io.deepvm.checkpoint;

import io.deepvm.checkpoint.tier.Level;

/** How far a save has come. */
public enum TicketState {
  /** Copied; training may change the tensors. */
  STAGED,
  /** Committed in a tier of {@link Level#REPLICATED}. */
  REPLICATED,
  /** Committed in a tier of {@link Level#DURABLE}. */
  DURABLE,
  /** Committed in a tier of {@link Level#ARCHIVED}. */
  ARCHIVED,
  /** Left out by policy, before it was committed anywhere. */
  SKIPPED,
  /** Could not be committed anywhere. */
  FAILED;

  static TicketState of(Level level) {
    return switch (level) {
      case REPLICATED -> REPLICATED;
      case DURABLE -> DURABLE;
      case ARCHIVED -> ARCHIVED;
    };
  }

  /**
   * Returns whether a save in the state of this name is committed at this level or a higher one. A
   * name that is no state reaches no level.
   */
  public static boolean reaches(String name, Level level) {
    for (TicketState state : values()) {
      if (state.name().equals(name)) {
        return state.reaches(level);
      }
    }
    return false;
  }

  /** Returns whether a save in this state is committed at this level or a higher one. */
  boolean reaches(Level level) {
    return this != SKIPPED && this != FAILED && compareTo(of(level)) >= 0;
  }

  /** Returns whether a save may go from this state to that. */
  boolean mayBecome(TicketState next) {
    return switch (this) {
      case STAGED -> next != STAGED;
      case REPLICATED -> next == DURABLE || next == ARCHIVED;
      case DURABLE -> next == ARCHIVED;
      case ARCHIVED, SKIPPED, FAILED -> false;
    };
  }
}
