package io.deepvm.cluster;

import io.deepvm.places.Cloud;
import io.deepvm.places.MarketView;
import io.deepvm.places.News;
import io.deepvm.places.Order;
import io.deepvm.places.Tenancy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A cloud that loses sight of its nodes: it does not end them, and reports the end of those alone
 * that it was asked to end.
 */
final class Deaf implements Cloud {

  private final Cloud cloud;
  private final Set<String> asked = new HashSet<>();
  private final Map<String, News> ends = new HashMap<>();
  private Consumer<News> listener = unused -> {};

  Deaf(Cloud cloud) {
    this.cloud = cloud;
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
  public MarketView market() {
    return cloud.market();
  }

  @Override
  public void open(Tenancy tenancy, Consumer<News> news) throws IOException {
    listener = news;
    cloud.open(tenancy, this::receive);
  }

  private void receive(News fact) {
    if (fact instanceof News.Gone gone) {
      ends.put(gone.node(), gone);
      confirm(gone.node());
    } else {
      listener.accept(fact);
    }
  }

  private void confirm(String node) {
    News end = ends.get(node);
    if (end != null && asked.contains(node)) {
      listener.accept(end);
    }
  }

  @Override
  public void order(Order order) {
    cloud.order(order);
  }

  /** Remembers the request; the node has to end by itself. */
  @Override
  public void end(String node, String reason) {
    asked.add(node);
    confirm(node);
  }

  @Override
  public void close() {
    cloud.close();
  }
}
