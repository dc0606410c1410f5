package io.deepvm.cluster.core;

import io.deepvm.catalog.Market;
import io.deepvm.cluster.link.AgentStatus;
import io.deepvm.cluster.log.RunPhase;
import io.deepvm.places.News;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something that the machine has to take into account. */
public sealed interface Input {

  /** Calls the visitor's method for this kind of input. */
  void accept(Visitor visitor);

  /**
   * A coordinator opened the run, as its first or as a later one.
   *
   * @param stop the request to stop that was there already; null if there was none
   */
  record Opened(@Nullable Stop stop) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.opened(this);
    }
  }

  /** An agent reported. */
  record Status(AgentStatus status) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.status(this);
    }
  }

  /** The link to an agent broke, or the agent is silent for too long. */
  record Silent(String node, String how) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.silent(this);
    }
  }

  /** The cloud reported. */
  record Cloud(News news) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.cloud(this);
    }
  }

  /** The policy wants other nodes. */
  record Wishes(List<Wish> wishes) implements Input {
    public Wishes {
      wishes = List.copyOf(wishes);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.wishes(this);
    }
  }

  /** Someone asked the run to end, as STOPPED or INTERRUPTED. */
  record Stop(RunPhase outcome, String reason) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.stop(this);
    }
  }

  /** The market's time passes at another share of its speed. */
  record Paced(double share) implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.paced(this);
    }
  }

  /** Output of a command arrived. */
  record Printing() implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.printing(this);
    }
  }

  /** Time has passed. */
  record Tick() implements Input {
    @Override
    public void accept(Visitor visitor) {
      visitor.tick(this);
    }
  }

  /** Takes every kind of input in. */
  interface Visitor {
    void opened(Opened input);

    void status(Status input);

    void silent(Silent input);

    void cloud(Cloud input);

    void wishes(Wishes input);

    void stop(Stop input);

    void paced(Paced input);

    void printing(Printing input);

    void tick(Tick input);
  }

  /** One wish of the policy. */
  sealed interface Wish {

    /** Returns the pool that it is about. */
    int pool();

    /** Returns the kind of node that it is about. */
    Market market();

    /** Returns by how many the nodes grow in number. */
    int added();

    /** Writes the events that follow from the wish. */
    void grant(Grants grants);

    /** Rent one worker. */
    record Rent(int pool, Market market, long microsPerHour) implements Wish {
      @Override
      public int added() {
        return 1;
      }

      @Override
      public void grant(Grants grants) {
        grants.rent(this);
      }
    }

    /** Give back the youngest worker of the pool. */
    record Release(int pool, Market market) implements Wish {
      @Override
      public int added() {
        return -1;
      }

      @Override
      public void grant(Grants grants) {
        grants.release(this);
      }
    }

    /** Grants every kind of wish. */
    interface Grants {
      void rent(Rent wish);

      void release(Release wish);
    }
  }
}
