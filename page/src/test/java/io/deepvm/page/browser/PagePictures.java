package io.deepvm.page.browser;

import io.deepvm.page.PageKey;
import io.deepvm.page.PageServer;
import io.deepvm.page.SampleRun;
import io.deepvm.page.watch.WatchSite;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;

/** Takes the pictures of the docs: of a run, of a run on several places, and of the planner. */
final class PagePictures {

  private static final int WIDTH = 1180;

  private static final String READY =
      "document.documentElement.dataset.events || document.documentElement.dataset.answer";

  private final Browser browser;
  private final Path folder;

  private PagePictures(Browser browser, Path folder) {
    this.browser = browser;
    this.folder = folder;
  }

  /**
   * Arguments: the folder of the pictures, an empty folder to work in, the folder of a run, and the
   * address of the planner.
   */
  public static void main(String[] args) throws Exception {
    Path work = Files.createDirectories(Path.of(args[1]));
    try (Browser browser = Browser.start(Files.createDirectory(work.resolve("profile")))) {
      PagePictures pictures = new PagePictures(browser, Files.createDirectories(Path.of(args[0])));
      pictures.run("watch-demo", Path.of(args[2]), 900);
      Path places = work.resolve("vision-transformer");
      several(places);
      pictures.run("watch-places", places, 1120);
      pictures.take("explore", URI.create(args[3]), 1020);
      browser.said().forEach(System.err::println);
    }
  }

  private void run(String name, Path run, int height) throws Exception {
    WatchSite site = new WatchSite(run, Clock.systemUTC(), stopped -> {});
    try (PageServer server = PageServer.start(PageKey.fresh(), site)) {
      Path last = run.toAbsolutePath().normalize().getFileName();
      take(name, server.address().resolve("run/%s/".formatted(last)), height);
    }
  }

  private void take(String name, URI address, int height) throws Exception {
    for (boolean dark : new boolean[] {false, true}) {
      browser.look(WIDTH, height, dark);
      browser.open(address);
      browser.await(READY);
      browser.evaluate("new Promise(r => requestAnimationFrame(() => setTimeout(r, 900)))");
      Path file = folder.resolve("%s-%s.png".formatted(name, dark ? "dark" : "light"));
      browser.view(file);
      SmallPicture.shrink(file);
      System.out.printf("%s: %d kB%n", file, Files.size(file) / 1000);
    }
  }

  /** Writes the log of a run that was made up: 14 nodes in four places, of which some are lost. */
  private static void several(Path run) throws IOException {
    String[] places = {
      "aws/us-east-1/use1-az1 g5.xlarge",
      "aws/us-west-2/usw2-az3 g6.xlarge",
      "gcp/us-central1/us-central1-a g2-standard-8",
      "azure/eastus2 Standard_NC8as_T4_v3",
    };
    try (SampleRun sample = SampleRun.start(run)) {
      sample.rent(4, 0, places[0]).rent(3, 1, places[1]).form().train(160, 9);
      sample.rent(3, 2, places[2]).form().train(220, 8);
      sample.lose("taken by the market").form().train(90, 9);
      sample.rent(2, 3, places[3]).form().train(160, 8);
      sample.lose("taken by the market").form().train(60, 9);
      sample.rent(2, 0, places[0]).form().train(251, 7).finish();
    }
  }
}
