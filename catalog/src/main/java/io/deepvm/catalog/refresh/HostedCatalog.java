package io.deepvm.catalog.refresh;

import io.deepvm.base.BadInput;
import io.deepvm.base.TextSource;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.catalog.csv.CsvRow;
import io.deepvm.catalog.csv.CsvTable;
import io.deepvm.catalog.skypilot.SkyPilotFormat;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** A cloud's catalog of the SkyPilot format at an address. */
public final class HostedCatalog {

  /** Clouds whose hosted catalogs are kept up to date; Azure's is of 2025. */
  public static final List<String> CLOUDS = List.of("aws", "gcp", "lambda", "runpod");

  /** On GCP, parts of a machine may cost nothing, because another part has the whole price. */
  private static final String ZERO_IS_RIGHT = "gcp";

  private HostedCatalog() {}

  /** Reads the catalog of a cloud below an address. */
  public static FreshPrices read(WebPages pages, URI folder, String cloud) throws IOException {
    if (!cloud.matches("[a-z][a-z0-9_-]*")) {
      throw new BadInput("'%s' is no name of a cloud.".formatted(cloud), "Maybe aws, or gcp.");
    }
    String base = folder.toString();
    URI address =
        URI.create("%s%s%s/vms.csv".formatted(base, base.endsWith("/") ? "" : "/", cloud));
    byte[] text = pages.read(address);
    TextSource source =
        new TextSource(address.toString(), cloud, () -> new ByteArrayInputStream(text));
    List<RefusedPrice> refused =
        cloud.equals(ZERO_IS_RIGHT) ? List.of() : pricesThatAreNone(source);
    Catalog all = new SkyPilotFormat().read(source).catalog();
    List<Listing> chosen =
        SnapshotSelection.clouds().contains(cloud)
            ? SnapshotSelection.of(all.listings())
            : all.listings();
    return new FreshPrices(chosen, refused);
  }

  /** Returns the rows with a price of zero. A negative price makes the reader refuse the file. */
  private static List<RefusedPrice> pricesThatAreNone(TextSource source) {
    List<RefusedPrice> refused = new ArrayList<>();
    try (CsvTable table = CsvTable.open(source)) {
      int type = table.requiredColumn("InstanceType");
      int region = table.requiredColumn("Region");
      int spot = table.column("SpotPrice");
      int onDemand = table.requiredColumn("Price");
      for (CsvRow row = table.next(); row != null; row = table.next()) {
        String name = "line %d, %s in %s".formatted(row.line(), row.text(type), row.text(region));
        if (isZero(row.text(spot))) {
          refused.add(new RefusedPrice(name, "the spot price is 0"));
        }
        if (isZero(row.text(onDemand))) {
          refused.add(new RefusedPrice(name, "the on-demand price is 0"));
        }
      }
    }
    return refused;
  }

  private static boolean isZero(String price) {
    try {
      return !price.isEmpty() && new BigDecimal(price).signum() == 0;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
