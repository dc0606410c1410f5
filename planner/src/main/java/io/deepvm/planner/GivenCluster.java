package io.deepvm.planner;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cluster that someone has or thinks of, to be predicted. */
public record GivenCluster(String architecture, List<Group> groups) {

  public GivenCluster {
    groups = List.copyOf(groups);
  }

  /**
   * Equal nodes in one place.
   *
   * @param samplesPerSecond what one of them trains alone, when stated; else the job states it
   */
  public record Group(NodeGroup nodes, @Nullable Double samplesPerSecond) {}

  /** The nodes without what is stated of their speed. */
  public List<NodeGroup> nodes() {
    return groups.stream().map(Group::nodes).toList();
  }
}
