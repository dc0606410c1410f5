package io.deepvm.catalog;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** GPUs by name as the catalog has it, in any case: "T4", "a100*". A star stands for any text. */
public record GpuFilter(String pattern) {

  private static final int MOST_SUGGESTED = 5;

  public GpuFilter {
    if (pattern.isBlank()) {
      throw new BadInput("'%s' is not a GPU.".formatted(pattern), "Maybe write T4 or 'A100*'.");
    }
  }

  /** Returns a test for the name of a GPU. */
  public Predicate<String> test() {
    Gpu known = Hardware.gpu(pattern);
    Pattern glob = Glob.of(known == null ? pattern : known.name());
    return name -> glob.matcher(name).matches();
  }

  /** Throws when the catalog has no such GPU, and names the nearest. */
  public void requireKnown(Catalog catalog) {
    Set<String> names = names(catalog);
    if (names.stream().noneMatch(test())) {
      throw new BadInput(
          "The catalog '%s' has no GPU '%s'.".formatted(catalog.name(), pattern), maybe(names));
    }
  }

  /** Returns the names of the catalog's GPUs. */
  static Set<String> names(Catalog catalog) {
    Set<String> names = new TreeSet<>();
    catalog.listings().stream()
        .map(listing -> listing.machine().gpus())
        .filter(Objects::nonNull)
        .forEach(gpus -> names.add(gpus.model().name()));
    return names;
  }

  private String maybe(Set<String> names) {
    String part = pattern.replace("*", "").toLowerCase(Locale.ROOT);
    List<String> similar =
        names.stream()
            .filter(name -> !part.isEmpty() && name.toLowerCase(Locale.ROOT).contains(part))
            .limit(MOST_SUGGESTED)
            .toList();
    return similar.isEmpty()
        ? Suggestion.maybe(pattern, names, "Maybe one of %s.".formatted(String.join(", ", names)))
        : "Maybe you meant %s.".formatted(String.join(" or ", similar));
  }

  @Override
  public String toString() {
    return pattern;
  }
}
