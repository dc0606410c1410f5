package io.deepvm.places.aws;

import io.deepvm.places.News;
import io.deepvm.places.Order;
import org.jspecify.annotations.Nullable;

/** Where a node is in its life. */
sealed interface Life {

  /** The order is on its way. */
  record Ordering() implements Life {}

  /**
   * EC2 has the machine.
   *
   * @param seen whether it ran when EC2 last described it
   */
  record Held(Order order, String handle, boolean seen) implements Life {}

  /**
   * It must end.
   *
   * @param handle null if EC2 has not answered the order
   * @param againMs when EC2 is asked again; the largest number while it is being asked
   */
  record Ending(@Nullable String handle, String reason, long againMs) implements Life {}

  record Over(News.Gone gone) implements Life {}

  /** Returns the machine of a node that EC2 may list; null if there is none. */
  default @Nullable String listedHandle() {
    if (this instanceof Held held) {
      return held.handle();
    }
    return this instanceof Ending ending ? ending.handle() : null;
  }
}
