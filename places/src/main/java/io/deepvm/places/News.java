package io.deepvm.places;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** A fact that a cloud reports. */
public sealed interface News {

  /** Calls the visitor's method for this kind of news. */
  void accept(Visitor visitor);

  /**
   * The cloud has the node.
   *
   * @param handle finds the machine again after a restart of the coordinator
   */
  record Granted(String node, String handle) implements News {
    @Override
    public void accept(Visitor visitor) {
      visitor.granted(this);
    }
  }

  /**
   * The node waits for its coordinator at this address. Reported again when the way there changes.
   *
   * @param proxy a SOCKS5 proxy on the way; null if there is none
   */
  record Reachable(String node, InetSocketAddress address, @Nullable InetSocketAddress proxy)
      implements News {
    @Override
    public void accept(Visitor visitor) {
      visitor.reachable(this);
    }
  }

  /**
   * The cloud refused the order; no machine exists for it.
   *
   * @param retryAfterSeconds the shortest sensible wait before the pool is asked again
   */
  record Refused(String node, Refusal why, String reason, double retryAfterSeconds)
      implements News {
    @Override
    public void accept(Visitor visitor) {
      visitor.refused(this);
    }
  }

  /** The cloud will take the node after this many seconds of real time. */
  record Noticed(String node, double leadSeconds, String reason) implements News {
    @Override
    public void accept(Visitor visitor) {
      visitor.noticed(this);
    }
  }

  /** The cloud withdrew its notice. */
  record Spared(String node) implements News {
    @Override
    public void accept(Visitor visitor) {
      visitor.spared(this);
    }
  }

  /** A spot node of the pool costs this from now on. */
  record Priced(int pool, long microsPerHour) implements News {
    @Override
    public void accept(Visitor visitor) {
      visitor.priced(this);
    }
  }

  /** Prices and capacity were read again; the policy may want to act. */
  record MarketRead() implements News {
    @Override
    public void accept(Visitor visitor) {
      visitor.marketRead(this);
    }
  }

  /**
   * The machine of the node does not exist any more.
   *
   * @param cause {@link Cause#TAKEN} if the cloud took it
   */
  record Gone(String node, Cause cause, @Nullable String reason) implements News {
    @Override
    public void accept(Visitor visitor) {
      visitor.gone(this);
    }
  }

  /** The cloud will never give another node. */
  record Closed(String reason) implements News {
    @Override
    public void accept(Visitor visitor) {
      visitor.closed(this);
    }
  }

  /** Why an order was refused. */
  enum Refusal {
    CAPACITY,
    PRICE,
    QUOTA,
    THROTTLED,
    UNSUPPORTED,
    DENIED,
    BROKEN
  }

  /** Why a machine does not exist any more. */
  enum Cause {
    /** The cloud took it back. */
    TAKEN,
    /** {@link Cloud#end} ended it. */
    ENDED,
    /** It ended by itself. */
    FAILED
  }

  /** Takes every kind of news in. */
  interface Visitor {
    void granted(Granted news);

    void reachable(Reachable news);

    void refused(Refused news);

    void noticed(Noticed news);

    void spared(Spared news);

    void priced(Priced news);

    void marketRead(MarketRead news);

    void gone(Gone news);

    void closed(Closed news);
  }
}
