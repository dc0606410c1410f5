package io.deepvm.checkpoint;

import io.deepvm.checkpoint.s3.S3Environment;
import io.deepvm.checkpoint.tier.Tier;
import java.util.List;
import java.util.function.BiFunction;

/** The kinds of stores that users name by an address. A further kind is one line here. */
public final class Stores {

  /**
   * A kind of store.
   *
   * @param prefix begins the addresses of this kind
   * @param opener opens a store, given the tier's name and the address
   */
  private record Kind(String prefix, BiFunction<String, String, Tier> opener) {}

  private static final List<Kind> KINDS = List.of(new Kind("s3:", S3Environment::open));

  private Stores() {}

  /** Returns whether a text is the address of such a store; other texts name folders. */
  public static boolean isAddress(String text) {
    return KINDS.stream().anyMatch(kind -> text.startsWith(kind.prefix));
  }

  /** Opens the store at an address; it must exist. */
  public static Tier open(String name, String address) {
    return KINDS.stream()
        .filter(kind -> address.startsWith(kind.prefix))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("No store has the address " + address))
        .opener
        .apply(name, address);
  }
}
