package io.deepvm.catalog.compact;

import io.deepvm.base.TextSource;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.CatalogFormat;
import io.deepvm.catalog.ImportedCatalog;
import io.deepvm.catalog.Listing;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;

/** Our own catalog format, described in docs/reference/catalog-format.md. */
public final class CompactFormat implements CatalogFormat {

  static final String FIRST_LINE = "# deepvm catalog v1";

  @Override
  public String name() {
    return "our own CSV";
  }

  @Override
  public boolean recognises(String opening) {
    return opening.startsWith("# deepvm catalog");
  }

  @Override
  public ImportedCatalog read(TextSource source) {
    return new CompactReader(source).read();
  }

  /** Writes a catalog to a file that appears only when it is whole. */
  public static void write(Catalog catalog, Path file) {
    CompactWriter.write(catalog, file);
  }

  /**
   * Writes some listings of a catalog, with its dates, source and quotas. The name is left out: it
   * is another catalog, and takes the name of its file.
   */
  public static void write(Catalog catalog, List<Listing> listings, Writer out) throws IOException {
    CompactWriter.write(Heading.of(catalog).withName(""), listings, out);
  }
}
