package io.deepvm.workload.averaging;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Place;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Links that someone measured; a link measured in one direction holds for both. */
public final class MeasuredNetwork implements Network {

  private final Map<Place, Map<Place, Link>> links;
  private final @Nullable Network otherwise;

  private MeasuredNetwork(Map<Place, Map<Place, Link>> links, @Nullable Network otherwise) {
    this.links = links;
    this.otherwise = otherwise;
  }

  /** Returns a network that knows these links, by sender and receiver, and no others. */
  public static MeasuredNetwork of(Map<Place, Map<Place, Link>> links) {
    return new MeasuredNetwork(copy(links), null);
  }

  /** Returns a network that knows these links and asks another for the rest. */
  public static MeasuredNetwork of(Map<Place, Map<Place, Link>> links, Network otherwise) {
    return new MeasuredNetwork(copy(links), otherwise);
  }

  private static Map<Place, Map<Place, Link>> copy(Map<Place, Map<Place, Link>> links) {
    Map<Place, Map<Place, Link>> copy = new LinkedHashMap<>();
    links.forEach((from, row) -> copy.put(from, Map.copyOf(row)));
    return copy;
  }

  @Override
  public Link between(Place from, Place to) {
    Link link = find(from, to);
    if (link == null) {
      link = find(to, from);
    }
    if (link == null && otherwise != null) {
      link = otherwise.between(from, to);
    }
    if (link == null) {
      throw new BadInput(
          "No link from %s to %s was measured.".formatted(from, to), wayOut(from, to));
    }
    return link;
  }

  private @Nullable Link find(Place from, Place to) {
    Map<Place, Link> row = links.get(from);
    return row == null ? null : row.get(to);
  }

  private String wayOut(Place from, Place to) {
    TreeSet<String> names = new TreeSet<>();
    links.forEach(
        (sender, row) -> {
          names.add(sender.toString());
          row.keySet().forEach(receiver -> names.add(receiver.toString()));
        });
    String unknown = names.contains(from.toString()) ? to.toString() : from.toString();
    return names.contains(unknown)
        ? "Maybe add the pair to the measurements."
        : Suggestion.maybe(unknown, names, "Maybe one of %s.".formatted(String.join(", ", names)));
  }
}
