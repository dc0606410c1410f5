package io.deepvm.catalog.refresh;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Properties;

/**
 * The addresses that prices are read from.
 *
 * @param hosted the folder of hosted catalogs, with one folder a cloud below it
 * @param azure the retail prices of Azure
 */
public record PriceAddresses(URI hosted, URI azure) {

  private static final String FILE = "addresses.properties";

  /** Returns the addresses that the program ships with. */
  public static PriceAddresses usual() {
    Properties addresses = new Properties();
    try (InputStream in = PriceAddresses.class.getResourceAsStream(FILE)) {
      addresses.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new PriceAddresses(
        URI.create(addresses.getProperty("hosted")), URI.create(addresses.getProperty("azure")));
  }
}
