package io.deepvm.page.browser;

import io.deepvm.page.PageKey;
import io.deepvm.page.PageServer;
import io.deepvm.page.watch.WatchSite;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;

/** Takes pictures of pages: of a run's folder, or of an address. */
final class PagePictures {

  private static final int NARROW = 400;

  private static final String READY =
      "document.documentElement.dataset.events || document.documentElement.dataset.answer";

  private PagePictures() {}

  /** Arguments: a folder or an address, the prefix of the pictures, the width and the height. */
  public static void main(String[] args) throws Exception {
    int width = Integer.parseInt(args[2]);
    int height = Integer.parseInt(args[3]);
    Path profile = Files.createTempDirectory("deepvm-browser");
    if (args[0].startsWith("http")) {
      try (Browser browser = Browser.start(profile)) {
        take(browser, URI.create(args[0]), args[1], width, height);
      }
      return;
    }
    WatchSite site = new WatchSite(Path.of(args[0]), Clock.systemUTC(), run -> {});
    try (PageServer server = PageServer.start(PageKey.fresh(), site);
        Browser browser = Browser.start(profile)) {
      URI run =
          server
              .address()
              .resolve("run/%s/".formatted(Path.of(args[0]).toAbsolutePath().getFileName()));
      take(browser, run, args[1], width, height);
    }
  }

  private static void take(Browser browser, URI address, String prefix, int width, int height)
      throws Exception {
    for (boolean dark : new boolean[] {false, true}) {
      for (int wide : new int[] {width, NARROW}) {
        browser.look(wide, height, dark);
        browser.open(address);
        browser.await(READY);
        browser.evaluate("new Promise(r => requestAnimationFrame(() => setTimeout(r, 400)))");
        browser.picture(
            Path.of(
                "%s-%s%s.png"
                    .formatted(prefix, dark ? "dark" : "light", wide == NARROW ? "-400" : "")));
      }
    }
    browser.said().forEach(System.out::println);
  }
}
