package io.deepvm.catalog.csv;

import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;

/** Counts double quotes on the way, because an odd number at the end means one was not closed. */
final class QuoteCountingReader extends FilterReader {

  private long quotes;

  QuoteCountingReader(Reader in) {
    super(in);
  }

  long quotes() {
    return quotes;
  }

  @Override
  public int read() throws IOException {
    int character = super.read();
    quotes += character == '"' ? 1 : 0;
    return character;
  }

  @Override
  public int read(char[] buffer, int offset, int length) throws IOException {
    int count = super.read(buffer, offset, length);
    for (int i = offset; i < offset + count; i++) {
      quotes += buffer[i] == '"' ? 1 : 0;
    }
    return count;
  }
}
