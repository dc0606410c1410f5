package io.deepvm.trainer.averaging;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who sums which block of a vector. In every place one member holds a block: it gets it from all of
 * the place and sums. One of the holders owns it: it gets the other places' sums and gives the
 * total back. So a block leaves its place once and comes back once, however many members are there;
 * with all in one place holder and owner are the same.
 */
final class Layout {

  private final int length;
  private final List<List<Integer>> places;
  private final int[] placeOf;
  private final int blocks;

  /**
   * Lays out a vector for members at these places.
   *
   * @param names of the members' places, by rank
   * @param blockFloats about how long a block shall be
   */
  Layout(int length, List<String> names, int blockFloats) {
    this.length = length;
    Map<String, List<Integer>> found = new LinkedHashMap<>();
    for (int rank = 0; rank < names.size(); rank++) {
      found.computeIfAbsent(names.get(rank), name -> new ArrayList<>()).add(rank);
    }
    places = List.copyOf(found.values());
    placeOf = new int[names.size()];
    int largest = 0;
    for (int place = 0; place < places.size(); place++) {
      for (int rank : places.get(place)) {
        placeOf[rank] = place;
      }
      largest = Math.max(largest, places.get(place).size());
    }
    // This many blocks that all have the same work; short vectors are cut finer for that.
    long turn = (long) places.size() * largest;
    long turns = Math.max(1, length / (turn * blockFloats));
    blocks = (int) Math.min(turn * turns, length);
  }

  int blocks() {
    return blocks;
  }

  /** Returns where a block begins. */
  int begin(int block) {
    return (int) ((long) length * block / blocks);
  }

  int floats(int block) {
    return begin(block + 1) - begin(block);
  }

  /** Returns the length of the longest block. */
  int longest() {
    return (length + blocks - 1) / blocks;
  }

  /** Returns the members at the place of this one, in the order of ranks. */
  List<Integer> mates(int rank) {
    return places.get(placeOf[rank]);
  }

  /** Returns who holds a block, one member of each place. */
  List<Integer> holders(int block) {
    int turn = block / places.size();
    return places.stream().map(place -> place.get(turn % place.size())).toList();
  }

  /** Returns who holds a block at the place of this member. */
  int holder(int rank, int block) {
    return holders(block).get(placeOf[rank]);
  }

  int owner(int block) {
    return holders(block).get(block % places.size());
  }
}
