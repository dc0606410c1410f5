package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.deepvm.base.Money;
import io.deepvm.catalog.Catalogs;
import io.deepvm.catalog.Gpus;
import io.deepvm.catalog.Listing;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.places.aws.fake.FakeEc2;
import io.deepvm.places.aws.fake.FakeMarket;
import io.deepvm.places.aws.fake.FakeServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Refreshed prices are kept for the user, used by plans, and refused where they are lies. */
@Timeout(300)
class CatalogRefreshIT {

  private static final Clock DAY =
      Clock.fixed(Instant.parse("2026-11-19T12:00:00Z"), ZoneOffset.UTC);

  @TempDir private Path folder;
  private HttpServer server;
  private final Map<String, String> pages = new ConcurrentHashMap<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String page = pages.get(exchange.getRequestURI().getPath());
          byte[] body = (page == null ? "" : page).getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(page == null ? 500 : 200, page == null ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String at(String path) {
    return "http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), path);
  }

  private int deepvm(String... words) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    Terminal terminal =
        new Terminal(new PrintWriter(out), new PrintWriter(err), false, false, true, DAY)
            .withCache(folder.resolve("cache"));
    return Main.run(terminal, words);
  }

  private int refresh(String... more) {
    String[] words = {
      "catalog", "refresh", "--cloud", "lambda", "--hosted-url", at("/v7"), "--azure-url", at("/az")
    };
    return deepvm(Stream.concat(Stream.of(words), Stream.of(more)).toArray(String[]::new));
  }

  private static List<Listing> builtIn(String cloud) {
    return Catalogs.load(Catalogs.DEFAULT).listings().stream()
        .filter(each -> each.place().cloud().equals(cloud))
        .toList();
  }

  private static String text(@Nullable Money price, double factor) {
    return price == null ? "" : price.times(factor).exactDollars().toPlainString();
  }

  /** Returns the built-in catalog of Lambda as a hosted catalog has it, at other prices. */
  private static String lambda(double factor) {
    StringBuilder csv =
        new StringBuilder(
            "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,"
                + "SpotPrice,Region\n");
    for (Listing each : builtIn("lambda")) {
      Gpus gpus = each.machine().gpus();
      csv.append(
          "%s,%s,%s,%s,%s,,%s,%s,%s%n"
              .formatted(
                  each.machine().name(),
                  gpus == null ? "" : gpus.model().name(),
                  gpus == null ? "" : gpus.count(),
                  each.machine().vcpus(),
                  Objects.requireNonNull(each.machine().memory()).bytes() / (double) (1L << 30),
                  text(each.onDemand(), factor),
                  "",
                  each.place().region()));
    }
    return csv.toString();
  }

  /** Returns the built-in catalog of Azure as one page of retail prices. */
  private static String azure(double factor, String currency) {
    return builtIn("azure").stream()
        .map(
            each ->
                "{\"currencyCode\":\"%s\",\"retailPrice\":%s,\"armRegionName\":\"%s\",\"armSkuName\":\"%s\",\"skuName\":\"x\",\"productName\":\"y\",\"unitOfMeasure\":\"1 Hour\",\"type\":\"Consumption\"}"
                    .formatted(
                        currency,
                        text(each.onDemand(), factor),
                        each.place().region(),
                        each.machine().name()))
        .collect(Collectors.joining(",", "{\"Items\":[", "],\"NextPageLink\":null}"));
  }

  private String plan() {
    int code =
        deepvm("plan", "--place", "lambda", "--market", "on-demand", "--max-price-per-hour", "4");
    assertThat(code).as(err.toString()).isEqualTo(Exit.DONE);
    return out.toString();
  }

  @Test
  void plansUseTheNewestPricesAndSayWhichTheyAre() {
    assertThat(plan()).contains("Prices: catalog 'snapshot', as of 2026-08-22");
    pages.put("/v7/lambda/vms.csv", lambda(1.25));
    pages.put("/az", azure(1.1, "USD"));
    assertThat(refresh()).as(err.toString()).isEqualTo(Exit.DONE);
    assertThat(out.toString())
        .contains("CLOUD", "hosted catalog", "retail prices", "2026-11-19")
        .doesNotContain("WHY");
    assertThat(plan())
        .contains(
            "Prices: catalog 'refreshed', as of 2026-11-19 (azure retail prices, lambda hosted"
                + " catalog; the rest from the snapshot).");
    assertThat(err.toString()).doesNotContain("Prices are old");
    assertThat(deepvm("catalog", "status", "--output", "csv")).isZero();
    assertThat(out.toString())
        .containsPattern("lambda,.*,2026-11-19\n")
        .containsPattern("azure,.*,2026-11-19\n")
        .containsPattern("gcp,.*,2026-08\n");
    assertThat(deepvm("catalog", "status", "--catalog", "snapshot")).isZero();
    assertThat(out.toString()).contains("2025-09").doesNotContain("2026-11-19");
  }

  @Test
  void aSourceThatFailsOrLiesLeavesItsFormerPricesInUse() {
    pages.put("/v7/lambda/vms.csv", lambda(1.25));
    pages.put("/az", azure(1, "EUR"));
    assertThat(refresh()).isEqualTo(Exit.FAILED_INSIDE);
    assertThat(err.toString())
        .contains("azure, retail prices: It lists 0 machines", "The prices of 2025-09 stay in use");
    pages.clear();
    assertThat(refresh()).isEqualTo(Exit.FAILED_INSIDE);
    assertThat(err.toString())
        .contains("lambda, hosted catalog: ", "HTTP 500. The prices of 2026-11-19 stay in use.");
    pages.put("/v7/lambda/vms.csv", lambda(150));
    assertThat(refresh("--from", "hosted")).isEqualTo(Exit.FAILED_INSIDE);
    assertThat(err.toString()).contains("are not believed", "Maybe it is in another currency");
    assertThat(plan()).contains("catalog 'refreshed', as of 2026-11-19");
    server.stop(0);
    assertThat(refresh()).isEqualTo(Exit.FAILED_INSIDE);
    assertThat(err.toString()).contains("cannot be reached. The prices of 2026-11-19 stay in use.");
    assertThat(plan()).contains("catalog 'refreshed', as of 2026-11-19");
  }

  @Test
  void refusedPricesAreNamedInEveryForm() {
    String csv = lambda(1);
    int first = csv.indexOf('\n') + 1;
    String[] cells = csv.substring(first, csv.indexOf('\n', first)).split(",", -1);
    String price = cells[6];
    cells[6] = "0.001";
    pages.put(
        "/v7/lambda/vms.csv",
        csv.substring(0, first)
            + String.join(",", cells)
            + csv.substring(csv.indexOf('\n', first)));
    String why = "$0.001, where it was %s: more than a factor of 10".formatted(Money.parse(price));
    assertThat(refresh("--from", "hosted")).as(err.toString()).isZero();
    assertThat(out.toString()).contains(cells[0] + " in lambda/" + cells[8] + ", on-demand", why);
    for (String form : List.of("json", "csv")) {
      assertThat(refresh("--from", "hosted", "--output", form)).isZero();
      assertThat(out.toString()).contains(cells[0] + " in lambda/", "more than a factor of 10");
    }
    assertThat(refresh("--from", "hosted", "--accept-jumps", "--output", "json")).isZero();
    assertThat(out.toString()).contains("\"refused\" : [ ]");
  }

  @Test
  void whatCannotBeAskedIsRefusedWithAWayOut() {
    assertThat(deepvm("catalog", "refresh", "--from", "account")).isEqualTo(Exit.BAD_INPUT);
    assertThat(err.toString()).contains("none is named", "--region us-east-1");
    assertThat(deepvm("catalog", "refresh", "--region", "us-east-1")).isEqualTo(Exit.BAD_INPUT);
    assertThat(deepvm("catalog", "refresh", "--hosted-url", "http://example.org"))
        .isEqualTo(Exit.BAD_INPUT);
    assertThat(err.toString()).contains("Maybe use https://");
    assertThat(deepvm("catalog", "list", "--catalog", "refreshed")).isEqualTo(Exit.BAD_INPUT);
    assertThat(err.toString()).contains("Maybe run 'deepvm catalog refresh' first.");
  }

  /** A program of its own, because credentials and addresses of AWS come from the environment. */
  @Test
  void anAccountStatesSpotPricesAndKeepsTheDateOfTheOthers() throws Exception {
    FakeMarket market =
        new FakeMarket()
            .type("g4dn.xlarge", 4, 526_000)
            .price("use1-az1", "g4dn.xlarge", 0, 161_200)
            .price("use1-az2", "g4dn.xlarge", 0, 171_300);
    FakeEc2 ec2 = new FakeEc2(Clock.systemUTC(), market, FakeEc2.Guests.NONE, FakeEc2.Pace.USUAL);
    try (FakeServer aws = FakeServer.start(ec2)) {
      String said =
          process(aws, "catalog", "refresh", "--from", "account", "--region", "us-east-1");
      assertThat(said).contains("spot prices of us-east-1", "2026-08-22");
      String list =
          process(
              aws,
              "catalog",
              "list",
              "--gpu",
              "T4",
              "--place",
              "aws/us-east-1",
              "--market",
              "spot",
              "--output",
              "csv");
      assertThat(list)
          .contains("use1-az1,g4dn.xlarge", "0.1612", "use1-az2,g4dn.xlarge", "0.1713")
          .doesNotContain("use1-az4,g4dn.xlarge,");
    }
    assertThat(folder.resolve("xdg/deepvm/prices/aws.csv.gz")).exists();
  }

  private String process(FakeServer aws, String... words) throws Exception {
    Path said = folder.resolve("said.txt");
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName()));
    line.addAll(List.of(words));
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "XDG_CACHE_HOME",
                folder.resolve("xdg").toString(),
                "AWS_ENDPOINT_URL",
                aws.address().toString(),
                "AWS_ACCESS_KEY_ID",
                FakeServer.ACCESS_KEY,
                "AWS_SECRET_ACCESS_KEY",
                FakeServer.SECRET_KEY));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(said);
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }
}
