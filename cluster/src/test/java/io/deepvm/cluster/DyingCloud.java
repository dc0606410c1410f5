package io.deepvm.cluster;

import io.deepvm.places.Cloud;
import io.deepvm.places.MarketTime;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** A cloud whose coordinator's process dies at a point between a request and its record. */
final class DyingCloud implements Cloud {

  /** How the process ends. */
  static final int DIED = 99;

  /** Where a coordinator can die. */
  enum Point {
    ORDER_WRITTEN_BEFORE_SYNCED,
    ORDER_SYNCED_BEFORE_SENT,
    ORDER_SENT_BEFORE_ANSWERED,
    GRANTED_BEFORE_LOGGED,
    GRANTED_LOGGED_BEFORE_SYNCED,
    LOST_LOGGED_BEFORE_SYNCED,
    END_SYNCED_BEFORE_SENT,
    END_SENT_BEFORE_ANSWERED,
    GONE_BEFORE_LOGGED,
    GONE_LOGGED_BEFORE_SYNCED;

    /** Whether the point comes when a node is lost, and not before. */
    boolean needsLoss() {
      return compareTo(LOST_LOGGED_BEFORE_SYNCED) >= 0;
    }

    /** Ends this process without any clean-up, if it is to die here. */
    void reached(Point fatal) {
      if (this == fatal) {
        Runtime.getRuntime().halt(DIED);
      }
    }
  }

  private final Cloud cloud;
  private final Point fatal;

  DyingCloud(Cloud cloud, Point fatal) {
    this.cloud = cloud;
    this.fatal = fatal;
  }

  @Override
  public String name() {
    return cloud.name();
  }

  @Override
  public int limit() {
    return cloud.limit();
  }

  @Override
  public String prepare(Path folder) throws IOException {
    return cloud.prepare(folder);
  }

  @Override
  public Optional<MarketTime> played() {
    return cloud.played();
  }

  @Override
  public MarketView market() {
    return cloud.market();
  }

  @Override
  public void open(Tenancy tenancy, Consumer<News> listener) throws IOException {
    cloud.open(
        tenancy,
        news -> {
          if (news instanceof News.Granted) {
            Point.GRANTED_BEFORE_LOGGED.reached(fatal);
          } else if (news instanceof News.Gone) {
            Point.GONE_BEFORE_LOGGED.reached(fatal);
          }
          listener.accept(news);
        });
  }

  @Override
  public void order(Order order) {
    Point.ORDER_SYNCED_BEFORE_SENT.reached(fatal);
    cloud.order(order);
    Point.ORDER_SENT_BEFORE_ANSWERED.reached(fatal);
  }

  @Override
  public void end(String node, String reason) {
    Point.END_SYNCED_BEFORE_SENT.reached(fatal);
    cloud.end(node, reason);
    Point.END_SENT_BEFORE_ANSWERED.reached(fatal);
  }

  @Override
  public void close() {
    cloud.close();
  }
}
