package io.deepvm.market;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Makes the built-in tables of price movement anew from a price history; run by name only, as
 * docs/explanation/market.md says.
 */
final class RefreshPrices {

  private static final Path RESOURCES =
      Path.of(System.getProperty("deepvm.root", "."), "market/src/main/resources/io/deepvm/market");

  @Test
  void writesTheTables() throws IOException {
    Path file = Path.of(Objects.requireNonNull(System.getProperty("market.prices")));
    PriceMovement movement = new PriceMovement(Markets.priceHistory(file));
    write(PriceDrift.table("aws"), PriceDrift.HEADER, movement.drift());
    write(PriceSteadiness.TABLE, PriceSteadiness.HEADER, movement.steadiness());
  }

  @Test
  void writesTheTableOfGoogle() throws IOException {
    Path file = Path.of(Objects.requireNonNull(System.getProperty("market.prices.google")));
    PriceMovement movement = new PriceMovement(GooglePrices.read(file));
    write(PriceDrift.table("gcp"), PriceDrift.HEADER, movement.drift());
  }

  private static void write(String name, String header, List<String> rows) throws IOException {
    List<String> lines = new ArrayList<>(List.of(header));
    lines.addAll(rows);
    Files.writeString(RESOURCES.resolve(name), String.join("\n", lines) + "\n");
  }
}
