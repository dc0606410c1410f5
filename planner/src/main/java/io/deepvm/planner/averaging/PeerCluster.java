package io.deepvm.planner.averaging;

import io.deepvm.workload.averaging.PeerGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** A choice of candidates and of how many of each. */
record PeerCluster(List<Part> parts) {

  /** A number of peers of one candidate. */
  record Part(Candidate candidate, int count) {}

  static PeerCluster of(Candidate candidate, int count) {
    return new PeerCluster(List.of(new Part(candidate, count)));
  }

  /** Returns the cluster with more of a candidate, or with fewer when the number is negative. */
  PeerCluster plus(Candidate candidate, int more) {
    List<Part> changed = new ArrayList<>(parts.size() + 1);
    boolean found = false;
    for (Part part : parts) {
      if (part.candidate.equals(candidate)) {
        found = true;
        if (part.count + more > 0) {
          changed.add(new Part(candidate, part.count + more));
        }
      } else {
        changed.add(part);
      }
    }
    if (!found && more > 0) {
      changed.add(new Part(candidate, more));
    }
    return new PeerCluster(changed);
  }

  int count(Candidate candidate) {
    for (Part part : parts) {
      if (part.candidate.equals(candidate)) {
        return part.count;
      }
    }
    return 0;
  }

  int peers() {
    int peers = 0;
    for (Part part : parts) {
      peers += part.count;
    }
    return peers;
  }

  /** Micro-dollars per hour of its machines. */
  long price() {
    long price = 0;
    for (Part part : parts) {
      price += part.count * part.candidate.price();
    }
    return price;
  }

  /** Whether it stays within what is asked for, quotas and money aside. */
  boolean fits(AveragingGoal goal) {
    if (parts.isEmpty() || peers() > goal.maxPeers()) {
      return false;
    }
    List<String> continents = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      Part part = parts.get(i);
      if (part.count > part.candidate.limit()) {
        return false;
      }
      if (!continents.contains(part.candidate.continent())) {
        continents.add(part.candidate.continent());
      }
      if (part.candidate.offer() != null && inPlaceOf(part) > goal.maxPeersPerPlace()) {
        return false;
      }
    }
    return continents.size() <= goal.maxContinents();
  }

  private int inPlaceOf(Part one) {
    int rented = 0;
    for (Part part : parts) {
      if (part.candidate.offer() != null
          && part.candidate.peer().place().equals(one.candidate.peer().place())) {
        rented += part.count;
      }
    }
    return rented;
  }

  List<PeerGroup> groups() {
    List<PeerGroup> groups = new ArrayList<>(parts.size());
    for (Part part : parts) {
      groups.add(new PeerGroup(part.candidate.peer(), part.count));
    }
    return groups;
  }

  /** The places it uses, as a name that clusters in the same places share. */
  String placeSet() {
    TreeSet<String> places = new TreeSet<>();
    parts.forEach(part -> places.add(part.candidate.peer().place().toString()));
    return String.join("+", places);
  }
}
