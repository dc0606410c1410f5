package io.deepvm.places;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A place that rents nodes. No method but {@link #prepare}, {@link #open} and {@link #close}
 * blocks, each request may be repeated, and answers arrive as {@link News}, in any order and
 * perhaps more than once.
 *
 * <p>A cloud belongs to one thread, that of its {@link Timers}: the owner calls all methods on it,
 * and news arrive on it, never inside a call.
 */
public interface Cloud extends AutoCloseable {

  /** The command that runs a class of this program on a node elsewhere, without a class path. */
  String SHIPPED_JAVA = "deepvm-java";

  /** Returns the cloud's name, like "local" or "aws". */
  String name();

  /** Returns the most nodes that the cloud can hold at once. */
  int limit();

  /**
   * Prepares for a run whose files are in the folder, before anything else is asked. Returns the
   * address that a coordinator on this machine listens on, so that nodes reach it.
   */
  String prepare(Path folder) throws IOException;

  /**
   * Whether nodes share this machine's files, and connect to the coordinator. Otherwise the cloud
   * brings this program along: nodes start its classes by {@link #SHIPPED_JAVA}, and wait for the
   * coordinator at a port that they write to a file named "port" in their folder.
   */
  default boolean isHere() {
    return true;
  }

  /** Returns the time of the market if it is played; empty if the market is a real one. */
  default Optional<MarketTime> played() {
    return Optional.empty();
  }

  /** Returns prices and capacity as far as they are known now. */
  MarketView market();

  /**
   * Starts to report news. For each node that the run holds, the cloud reports {@link News.Granted}
   * or {@link News.Gone}, or repeats the unanswered order.
   */
  void open(Tenancy tenancy, Consumer<News> news) throws IOException;

  /** Sends an order; an order with the same token never rents a second machine. */
  void order(Order order);

  /** Ends a node at once; {@link News.Gone} confirms it, until then the caller may repeat it. */
  void end(String node, String reason);

  /** Stops reporting news; nodes live on until they are ended or miss their coordinator. */
  @Override
  void close();
}
