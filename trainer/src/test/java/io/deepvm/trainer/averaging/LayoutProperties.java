package io.deepvm.trainer.averaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class LayoutProperties {

  private static List<String> names(List<Integer> places) {
    return places.stream().map(place -> "place-" + place).toList();
  }

  @Property
  void blocksCoverTheVectorAndEachPlaceHoldsEachOnce(
      @ForAll @Size(min = 1, max = 9) List<@IntRange(min = 0, max = 3) Integer> places,
      @ForAll @IntRange(min = 1, max = 5000) int length,
      @ForAll @IntRange(min = 1, max = 300) int blockFloats) {
    Layout layout = new Layout(length, names(places), blockFloats);
    int at = 0;
    for (int block = 0; block < layout.blocks(); block++) {
      assertThat(layout.begin(block)).isEqualTo(at);
      assertThat(layout.floats(block)).isBetween(1, layout.longest());
      at += layout.floats(block);
      List<Integer> holders = layout.holders(block);
      assertThat(holders.stream().map(places::get)).doesNotHaveDuplicates();
      assertThat(holders).hasSize(new HashSet<>(places).size()).contains(layout.owner(block));
      for (int rank = 0; rank < places.size(); rank++) {
        int holder = layout.holder(rank, block);
        assertThat(places.get(holder)).isEqualTo(places.get(rank));
        assertThat(holders).contains(holder);
      }
    }
    assertThat(at).isEqualTo(length);
  }

  @Property
  void placesOfOneSizeHaveEqualWork(
      @ForAll @IntRange(min = 1, max = 4) int places,
      @ForAll @IntRange(min = 1, max = 4) int each,
      @ForAll @IntRange(min = 1000, max = 5000) int length) {
    List<Integer> where = new ArrayList<>();
    for (int rank = 0; rank < places * each; rank++) {
      where.add(rank % places);
    }
    Layout layout = new Layout(length, names(where), 100);
    int[] held = new int[where.size()];
    int[] owned = new int[where.size()];
    for (int block = 0; block < layout.blocks(); block++) {
      layout.holders(block).forEach(rank -> held[rank]++);
      owned[layout.owner(block)]++;
    }
    assertThat(held).containsOnly(layout.blocks() / each);
    assertThat(owned).containsOnly(layout.blocks() / (places * each));
  }
}
