package io.deepvm.trainer.server;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The messages with which members of parameter servers begin and end a generation. */
final class ServerRendezvous {

  private final TreeMap<Long, Map<Integer, Call.Hello>> hellos = new TreeMap<>();
  private final TreeMap<Long, Call.Start> starts = new TreeMap<>();
  private final TreeMap<Long, Call.Finish> finishes = new TreeMap<>();
  private final Set<Integer> kept = new HashSet<>();
  private long generation = -1;

  /** Forgets all that belongs to older generations. */
  synchronized void form(long newGeneration) {
    generation = newGeneration;
    hellos.headMap(generation).clear();
    starts.headMap(generation).clear();
    finishes.headMap(generation).clear();
    kept.clear();
  }

  /** Takes in a greeting, a start or a finish; returns false for any other call. */
  synchronized boolean takes(Call call) {
    if (call instanceof Call.Hello hello) {
      hellos.computeIfAbsent(hello.generation(), when -> new HashMap<>()).put(hello.part(), hello);
      return true;
    }
    if (call instanceof Call.Start start) {
      starts.put(start.generation(), start);
      return true;
    }
    if (call instanceof Call.Finish finish) {
      finishes.put(finish.generation(), finish);
      return true;
    }
    return false;
  }

  /** Returns the greetings of the servers of this generation. */
  synchronized Collection<Call.Hello> hellos() {
    return List.copyOf(hellos.getOrDefault(generation, Map.of()).values());
  }

  /** Returns how the first server starts the generation, if that has come. */
  synchronized Call.@Nullable Start start() {
    return starts.get(generation);
  }

  /** Returns how the first server ends the work, if that has come. */
  synchronized Call.@Nullable Finish finish() {
    return finishes.get(generation);
  }

  /** Notes that a server has its part of the state. */
  synchronized void keep(int part) {
    kept.add(part);
  }

  /** Returns the number of other servers that have their part of the state. */
  synchronized int keptCount() {
    return kept.size();
  }
}
