package io.deepvm.cli.watch;

import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import io.deepvm.cli.console.Terminal;
import io.deepvm.page.PageKey;
import io.deepvm.page.PageServer;
import io.deepvm.page.PageSite;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.zip.CRC32C;

/**
 * A page that this process serves. Its port and token are kept for the user, so that a page that is
 * still open finds its server again after a restart.
 */
public final class OpenPage implements Closeable {

  private final PageServer server;

  private OpenPage(PageServer server) {
    this.server = server;
  }

  /**
   * Starts to serve.
   *
   * @param what names the page among those of the user, such as a folder
   */
  static OpenPage open(String what, PageSite site) throws IOException {
    Path file = keyFile(what);
    PageKey key = kept(file);
    OpenPage page = new OpenPage(PageServer.start(key, site));
    if (!page.server.key().equals(key)) {
      keep(page.server.key(), file);
    }
    return page;
  }

  private static PageKey kept(Path file) {
    try {
      return PageKey.kept(file);
    } catch (BadInput e) {
      // Others may have read it.
      return PageKey.fresh();
    }
  }

  private static void keep(PageKey key, Path file) {
    try {
      PrivateFiles.folder(keyFolder());
      key.keep(file);
    } catch (IOException e) {
      // A home that cannot be written to: the next address will be another.
    }
  }

  private static Path keyFile(String what) {
    CRC32C hash = new CRC32C();
    hash.update(what.getBytes(StandardCharsets.UTF_8));
    return keyFolder().resolve("page-%08x".formatted(hash.getValue()));
  }

  private static Path keyFolder() {
    String state = System.getenv("XDG_STATE_HOME");
    Path root =
        state == null || state.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".local", "state")
            : Path.of(state);
    return root.resolve("deepvm");
  }

  /** Returns the address to open, which contains the token. */
  URI address() {
    return server.address();
  }

  /** Serves until this thread or the process is interrupted. */
  void serve(Terminal terminal) {
    terminal.out().println(address());
    terminal.out().flush();
    terminal.err().println("Open it in a browser of this machine. Ctrl-C closes the page only.");
    terminal.err().flush();
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      // The page is to be closed.
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
