package io.deepvm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.deepvm.cli.console.Exit;
import io.deepvm.places.aws.fake.FakeEc2;
import io.deepvm.places.aws.fake.FakeInstance;
import io.deepvm.places.aws.fake.FakeMarket;
import io.deepvm.places.aws.fake.FakeServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands about machines of AWS, against the fake EC2: nothing is rented by any of them. */
class AwsCommandsTest {

  private static final Clock DAY =
      Clock.fixed(Instant.parse("2026-09-01T12:00:00Z"), ZoneOffset.UTC);
  private static final String TYPE = "g4dn.xlarge";
  private static final List<String> SERVICES = List.of("Ec2", "Sts", "Ssm", "ServiceQuotas");
  private static final String PLAN =
      """
      {"schema": "deepvm/plans/v1", "plans": [{"rank": 1, "architecture": "single-anchor", "run": {
        "workers": [
          {"cloud": "aws", "region": "us-east-1", "zone": "use1-az1",
           "instanceType": "g4dn.xlarge", "market": "spot", "count": 4,
           "usdPerHour": 0.16, "onDemandUsdPerHour": 0.526}],
        "anchors": 0, "anchorsUsdPerHour": 0, "speeds": [0.25, 0.5, 0.75, 1],
        "checkpoint": {"bytes": 1000000, "stallSeconds": 0, "shipSeconds": 1,
          "restoreSeconds": 1, "intervalSeconds": 60}}}]}
      """;

  @TempDir private Path folder;
  private final FakeMarket market = new FakeMarket();
  private final FakeEc2 ec2 = new FakeEc2(DAY, market, FakeEc2.Guests.NONE, FakeEc2.Pace.USUAL);
  private FakeServer server;

  @BeforeEach
  void start() throws IOException {
    long before = DAY.millis() - 3_600_000;
    market.type(TYPE, 4, 526_000);
    market.price("use1-az1", TYPE, before, 160_000).price("use1-az2", TYPE, before, 170_000);
    Files.writeString(folder.resolve("plan.json"), PLAN);
    server = FakeServer.start(ec2);
    SERVICES.forEach(
        each -> System.setProperty("aws.endpointUrl" + each, server.address().toString()));
    credentials(FakeServer.SECRET_KEY);
  }

  private static void credentials(String secret) {
    System.setProperty("aws.accessKeyId", FakeServer.ACCESS_KEY);
    System.setProperty("aws.secretAccessKey", secret);
  }

  @AfterEach
  void stop() {
    server.close();
    SERVICES.forEach(each -> System.clearProperty("aws.endpointUrl" + each));
    System.clearProperty("aws.accessKeyId");
    System.clearProperty("aws.secretAccessKey");
  }

  private Screen run(String... more) {
    List<String> line =
        new ArrayList<>(
            List.of(
                "run",
                "--on",
                "aws",
                "--plan",
                folder.resolve("plan.json").toString(),
                "--folder",
                folder.resolve("run").toString(),
                "--ssh-from",
                "203.0.113.7/32",
                "--image",
                "ami-0fake"));
    line.addAll(Arrays.asList(more));
    line.addAll(List.of("--", "true"));
    return Screen.run(line.toArray(String[]::new));
  }

  private void requireNothing() {
    assertThat(ec2.instances()).isEmpty();
    assertThat(ec2.leaks()).isZero();
    assertThat(folder.resolve("run")).doesNotExist();
  }

  @Test
  void withoutACeilingNothingIsAsked() {
    Screen screen = run("--yes");
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains("--max-cost");
    assertThat(ec2.calls()).isEmpty();
    requireNothing();
  }

  @Test
  void withoutAnAnswerNothingIsRented() {
    Screen screen = run("--max-cost", "5");
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err())
        .contains("EC2 asks $0.6400/h for the plan's 4 nodes; the plan said $0.6400/h.")
        .contains("Worst case: the machines of this run cost $5.00")
        .contains("Nothing was rented.");
    requireNothing();
  }

  @Test
  void aCeilingBelowTheFirstMinutesIsRefused() {
    Screen screen = run("--max-cost", "0.05", "--yes");
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains("less than the nodes cost until they have booted");
    requireNothing();
  }

  @Test
  void aDearerMarketIsAskedForAgain() {
    market.price("use1-az1", TYPE, DAY.millis() - 1000, 300_000);
    market.price("use1-az2", TYPE, DAY.millis() - 1000, 310_000);
    Screen screen = run("--max-cost", "5", "--yes");
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains("more than the plan's $0.6400/h");
    requireNothing();
  }

  @Test
  void badCredentialsAreOneLine() {
    credentials("another-secret");
    Screen screen = run("--max-cost", "5", "--yes");
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err()).contains("AWS refuses these credentials (AuthFailure");
    requireNothing();
  }

  @Test
  void aQuotaThatIsTooSmallIsOneLine() {
    market.quota(8, 0);
    Screen screen = run("--max-cost", "5", "--yes");
    assertThat(screen.exitCode()).isEqualTo(Exit.BAD_INPUT);
    assertThat(screen.err())
        .contains("The plan needs 16 vCPUs")
        .contains("All G and VT Spot Instance Requests")
        .contains("Service Quotas");
    requireNothing();
  }

  @Test
  void leftoversAreListedAndOnlyTheNamedRunIsEnded() {
    String left = ec2.stranger(Map.of("deepvm:run", "mine-1", "deepvm:node", "n1"));
    String other = ec2.stranger(Map.of("deepvm:run", "mine-12", "deepvm:node", "n1"));
    String plain = ec2.stranger(Map.of("Name", "mine-1/n1"));
    Screen list = Screen.run("places", "leftovers", "aws:us-east-1");
    assertThat(list.exitCode()).isEqualTo(Exit.DONE);
    assertThat(list.out()).contains(left).contains(other).doesNotContain(plain);
    Screen nobody = Screen.run("places", "leftovers", "aws:us-east-1", "--end");
    assertThat(nobody.exitCode()).isEqualTo(Exit.BAD_INPUT);
    Screen end = Screen.run("places", "leftovers", "aws:us-east-1", "--end", "--run", "mine-1");
    assertThat(end.exitCode()).isEqualTo(Exit.FAILED_INSIDE);
    assertThat(end.err()).contains("its machines end now");
    assertThat(ec2.instances())
        .filteredOn(each -> each.state().equals("shutting-down"))
        .extracting(FakeInstance::id)
        .containsExactly(left);
  }
}
