package io.deepvm.page;

import java.io.IOException;

/** What a server shows to the holder of its token. */
public interface PageSite {
  /** Answers a request, or throws {@link NoSuchPage}. */
  void answer(PageRequest request) throws IOException;

  /** There is nothing at the address. */
  final class NoSuchPage extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Names what is missing. */
    public NoSuchPage(String what) {
      super(what);
    }
  }
}
