package io.deepvm.catalog;

import io.deepvm.base.TextSource;

/** A kind of catalog file, recognised by its content. */
public interface CatalogFormat {

  /** What people call the format. */
  String name();

  /** Whether a file that begins like this is in the format. */
  boolean recognises(String opening);

  /** Reads the whole file. */
  ImportedCatalog read(TextSource source);
}
