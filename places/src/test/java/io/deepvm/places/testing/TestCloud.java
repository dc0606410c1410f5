package io.deepvm.places.testing;

import io.deepvm.market.Pool;
import io.deepvm.places.Cloud;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.OrderPoints;
import io.deepvm.places.Tenancy;
import io.deepvm.places.Timers;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One coordinator's way to a {@link DataCentre}. */
public final class TestCloud implements Cloud {

  private final DataCentre centre;
  private final Timers timers;
  private final OrderPoints points;
  private long beginMs;
  private @Nullable Consumer<News> news;

  /**
   * Makes a way.
   *
   * @param timers those of the coordinator: news arrive on its thread, and not after its death
   */
  public TestCloud(DataCentre centre, Timers timers, OrderPoints points) {
    this.centre = centre;
    this.timers = timers;
    this.points = points;
  }

  @Override
  public String name() {
    return "test";
  }

  @Override
  public int limit() {
    return centre.limit();
  }

  @Override
  public String prepare(Path folder) {
    return "127.0.0.1";
  }

  @Override
  public MarketView market() {
    return new View();
  }

  @Override
  public void open(Tenancy tenancy, Consumer<News> listener) {
    news = listener;
    beginMs = centre.clock().millis() - tenancy.marketMs();
    centre.attach(this);
    for (Tenancy.Held held : tenancy.held()) {
      if (held.handle() == null) {
        centre.order(this, held.order(), points, true);
      } else {
        centre.look(this, held.order().node());
      }
    }
  }

  @Override
  public void order(Order order) {
    centre.order(this, order, points, false);
  }

  @Override
  public void end(String node, String reason) {
    centre.end(this, node, reason);
  }

  void deliver(News fact) {
    timers.after(
        0,
        () -> {
          Consumer<News> listener = news;
          if (listener != null) {
            listener.accept(fact);
          }
        });
  }

  @Override
  public void close() {
    news = null;
    centre.detach(this);
  }

  private final class View implements MarketView {

    @Override
    public List<Pool> pools() {
      return centre.pools();
    }

    @Override
    public double spotUsdPerHour(int pool) {
      return centre.spotUsdPerHour(pool);
    }

    @Override
    public double onDemandUsdPerHour(int pool) {
      return DataCentre.ON_DEMAND_USD_PER_HOUR;
    }

    @Override
    public OptionalInt spotCapacity(int pool) {
      return OptionalInt.of(centre.capacity(pool));
    }

    @Override
    public double tickSeconds() {
      return 600;
    }

    @Override
    public long marketMs() {
      return centre.clock().millis() - beginMs;
    }
  }
}
