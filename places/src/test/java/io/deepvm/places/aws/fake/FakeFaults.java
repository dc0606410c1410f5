package io.deepvm.places.aws.fake;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What goes wrong between a client and the fake EC2. */
public final class FakeFaults {

  /** One fault of one request. */
  public enum Fault {
    /** The request is carried out and its answer is lost. */
    LOSE_REPLY,
    /** The request never arrives. */
    LOSE_REQUEST,
    /** The request is refused, since there were too many. */
    THROTTLE,
    /** A server fails before it does anything. */
    FAIL,
    /** The credentials are not taken. */
    DENY
  }

  private final Map<String, Deque<Fault>> next = new HashMap<>();
  private final Map<String, Fault> all = new HashMap<>();

  /** Lets the next requests of an action go wrong. */
  public void next(String action, Fault fault, int times) {
    Deque<Fault> faults = next.computeIfAbsent(action, any -> new ArrayDeque<>());
    for (int i = 0; i < times; i++) {
      faults.add(fault);
    }
  }

  /** Lets all requests of an action go wrong from now on; null lets them go well again. */
  public void all(String action, @Nullable Fault fault) {
    if (fault == null) {
      all.remove(action);
    } else {
      all.put(action, fault);
    }
  }

  boolean take(String action, Fault fault) {
    if (all.get(action) == fault) {
      return true;
    }
    Deque<Fault> faults = next.get(action);
    if (faults == null || faults.peek() != fault) {
      return false;
    }
    faults.remove();
    return true;
  }
}
