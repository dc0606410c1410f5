package io.deepvm.places.aws.box;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.deepvm.places.aws.fake.FakeEc2;
import io.deepvm.places.aws.fake.FakeInstance;
import io.deepvm.places.aws.fake.FakeMarket;
import io.deepvm.places.aws.fake.FakeServer;
import io.deepvm.places.ledger.Ledger;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * The story of a run on AWS, on this machine: a plan, its price, four spot workers and an anchor
 * that stays, three interruptions, a lack of capacity, the end and the bill. Prints a line a stage.
 */
public final class CloudInABox {

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String TYPE = "g4dn.xlarge";
  private static final String ANCHOR = "g4dn.2xlarge";
  private static final long SPOT = 160_000;
  private static final long ON_DEMAND = 526_000;
  private static final long ANCHOR_ON_DEMAND = 752_000;
  private static final double CEILING_USD = 3;
  private static final int WORKERS = 5;
  private static final long PATIENCE_SECONDS = 600;
  private static final long LEAD_MS = 20_000;

  private final Path folder;
  private final List<String> deepvm;
  private final FakeMarket market = new FakeMarket();
  private final NamespaceGuests guests;
  private final FakeEc2 ec2;
  private final FakeServer server;
  private final long beganNanos = System.nanoTime();

  private CloudInABox(Path folder, List<String> deepvm) throws IOException {
    this.folder = folder;
    this.deepvm = deepvm;
    this.guests = NamespaceGuests.open(Files.createDirectories(folder.resolve("instances")));
    Clock clock = Clock.systemUTC();
    long before = clock.millis() - 3_600_000;
    market.type(TYPE, 4, ON_DEMAND).type(ANCHOR, 8, ANCHOR_ON_DEMAND);
    market.price("use1-az1", TYPE, before, SPOT);
    market.price("use1-az2", TYPE, before, SPOT + 9_000);
    // One worker does not find room in the cheaper zone.
    market.capacity("use1-az1", TYPE, 3);
    FakeEc2.Pace pace = new FakeEc2.Pace(3_000, 3_000, 4_000, NamespaceGuests.SUBNET);
    this.ec2 = new FakeEc2(clock, market, guests, pace);
    this.server = FakeServer.start(ec2);
    Thread ticker = new Thread(this::tick, "box");
    ticker.setDaemon(true);
    ticker.start();
  }

  /** Runs the story: a folder for its files, then the words that start deepvm. */
  public static void main(String[] arguments) throws Exception {
    List<String> words = Arrays.asList(arguments);
    if (!"root".equals(System.getProperty("user.name"))
        || !Files.exists(Path.of("/usr/sbin/sshd"))) {
      System.err.println("The cloud in a box needs root, network namespaces and openssh-server.");
      System.exit(2);
    }
    CloudInABox box;
    try {
      box = new CloudInABox(Path.of(words.get(0)), words.subList(1, words.size()));
    } catch (IOException e) {
      System.err.println("Network namespaces are not possible here: " + e.getMessage());
      System.exit(2);
      return;
    }
    int code = 1;
    try {
      box.story();
      code = 0;
    } finally {
      box.server.close();
      box.guests.close();
    }
    System.exit(code);
  }

  private void tick() {
    try {
      while (true) {
        for (FakeInstance each : ec2.instances()) {
          if (each.state().equals("running") && guests.isOff(each)) {
            ec2.powerOff(each.id());
          }
        }
        Thread.sleep(200);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void say(String stage, String what) {
    double seconds = (System.nanoTime() - beganNanos) / 1e9;
    System.out.printf("%6.1f s  %-14s %s%n", seconds, stage, what);
  }

  private Process deepvm(Path output, String... words) throws IOException {
    List<String> line = new ArrayList<>(deepvm);
    line.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(line);
    Map<String, String> environment = builder.environment();
    for (String service : List.of("EC2", "STS", "SSM", "SERVICE_QUOTAS")) {
      environment.put("AWS_ENDPOINT_URL_" + service, server.address().toString());
    }
    environment.put("AWS_ACCESS_KEY_ID", FakeServer.ACCESS_KEY);
    environment.put("AWS_SECRET_ACCESS_KEY", FakeServer.SECRET_KEY);
    environment.put("AWS_EC2_METADATA_DISABLED", "true");
    File to = output.toFile();
    return builder.redirectErrorStream(true).redirectOutput(to).start();
  }

  private String require(int code, Path output, Process process) throws Exception {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException("deepvm did not end: " + Files.readString(output));
    }
    String said = Files.readString(output);
    if (process.exitValue() != code) {
      throw new IllegalStateException(
          "exit code %d instead of %d: %s".formatted(process.exitValue(), code, said));
    }
    return said;
  }

  private static void await(String what, Callable<Boolean> so) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!so.call()) {
      if (System.nanoTime() > until) {
        throw new IllegalStateException("It did not happen: " + what);
      }
      Thread.sleep(200);
    }
  }

  private void story() throws Exception {
    Path plan = folder.resolve("plan.json");
    Files.writeString(plan, BoxPlan.text());
    say("plan", "4 x %s spot and 1 x %s on-demand in us-east-1".formatted(TYPE, ANCHOR));
    String[] asked = run(plan);
    Path output = folder.resolve("deepvm.log");

    String bare = require(2, output, deepvm(output, without(asked, "--max-cost", 2)));
    check("no ceiling, no request", ec2.calls().isEmpty() && bare.contains("--max-cost"));
    say("no ceiling", "refused; EC2 saw no request");

    market.price("use1-az1", TYPE, System.currentTimeMillis(), 3 * SPOT);
    market.price("use1-az2", TYPE, System.currentTimeMillis(), 3 * SPOT);
    String dearer = require(2, output, deepvm(output, asked));
    check(
        "dearer than planned", dearer.contains("more than the plan") && ec2.instances().isEmpty());
    say("price check", "spot costs three times what was planned: refused, nothing rented");
    market.price("use1-az1", TYPE, System.currentTimeMillis(), SPOT);
    market.price("use1-az2", TYPE, System.currentTimeMillis(), SPOT + 9_000);

    Process run = deepvm(output, asked);
    try {
      live(run, output);
      String said = require(0, output, run);
      settle(said);
    } finally {
      run.destroyForcibly();
    }
  }

  private String[] run(Path plan) {
    return new String[] {
      "run",
      "--on",
      "aws",
      "--plan",
      plan.toString(),
      "--folder",
      folder.resolve("run").toString(),
      "--max-cost",
      Double.toString(CEILING_USD),
      "--max-time",
      "2h",
      "--ssh-from",
      NamespaceGuests.SUBNET + "0/24",
      "--image",
      "ami-0fake",
      "--login",
      "root",
      "--workdir",
      folder.resolve("work").toString(),
      "--nproc-per-node",
      "1",
      "--yes",
      "--",
      "/usr/bin/python3",
      "ddp.py",
      "--until",
      folder.resolve("enough").toString(),
      "--checkpoint",
      folder.resolve("shared.pt").toString()
    };
  }

  private static String[] without(String[] words, String option, int count) {
    List<String> line = new ArrayList<>(List.of(words));
    int at = line.indexOf(option);
    line.subList(at, at + count).clear();
    return line.toArray(String[]::new);
  }

  private static void check(String what, boolean so) {
    if (!so) {
      throw new IllegalStateException("It is not so: " + what);
    }
  }

  /** Returns the number of the newest generation with this many members, all of which train. */
  private int trains(int members, String without) throws IOException {
    Path log = folder.resolve("run").resolve("events.jsonl");
    if (!Files.exists(log)) {
      return 0;
    }
    int newest = 0;
    int size = 0;
    int joined = 0;
    for (String line : Files.readAllLines(log)) {
      JsonNode event;
      try {
        event = JSON.readTree(line);
      } catch (IOException e) {
        // It is being written.
        continue;
      }
      JsonNode content =
          event.has("event") && event.get("event").isObject() ? event.get("event") : event;
      String kind = content.path("event").asText();
      if (kind.equals("generation")) {
        newest = content.path("number").asInt();
        size = content.path("members").size();
        for (JsonNode member : content.path("members")) {
          // A node that was taken does not count as one that trains.
          size = member.asText().equals(without) ? -1 : size;
        }
        joined = 0;
      } else if (kind.equals("joined") && content.path("generation").asInt() == newest) {
        joined++;
      }
    }
    return size == members && joined == members ? newest : 0;
  }

  private List<FakeInstance> spots() {
    return ec2.instances().stream()
        .filter(each -> each.state().equals("running"))
        .filter(each -> each.request().containsKey("InstanceMarketOptions.MarketType"))
        .toList();
  }

  private void awaitTraining(Process run, Path output, String without) throws Exception {
    await(
        "five nodes train",
        () -> {
          if (!run.isAlive()) {
            throw new IllegalStateException("the run ended: " + Files.readString(output));
          }
          return trains(WORKERS, without) > 0;
        });
    Path saved = folder.resolve("shared.pt");
    long before = Files.exists(saved) ? Files.getLastModifiedTime(saved).toMillis() : 0;
    await(
        "a checkpoint of theirs",
        () -> Files.exists(saved) && Files.getLastModifiedTime(saved).toMillis() > before);
  }

  private void live(Process run, Path output) throws Exception {
    awaitTraining(run, output, "");
    long refused =
        ec2.calls().stream().filter(call -> "RunInstances".equals(call.get("Action"))).count();
    long elsewhere =
        spots().stream()
            .filter(each -> "use1-az2".equals(each.request().get("Placement.AvailabilityZoneId")))
            .count();
    check("a worker is in the other zone", elsewhere == 1);
    say("rent", "%d orders, 4 spot workers and the anchor run".formatted(refused));
    say("capacity", "use1-az1 had room for 3: one worker is in use1-az2");
    say("train", "generation %d with 5 nodes over ssh".formatted(trains(WORKERS, "")));
    for (int i = 0; i < 3; i++) {
      FakeInstance victim = spots().get(0);
      String node = victim.tag("deepvm:node");
      boolean warned = i < 2;
      if (warned) {
        guests.notice(victim, LEAD_MS);
      }
      ec2.interrupt(victim.id(), warned ? LEAD_MS : 0);
      await("%s is terminated".formatted(node), () -> !victim.exists());
      awaitTraining(run, output, node);
      say(
          warned ? "notice" : "no notice",
          "%s was taken; generation %d trains with 5 nodes".formatted(node, trains(WORKERS, node)));
    }
    Files.createFile(folder.resolve("enough"));
  }

  private void settle(String said) throws Exception {
    Path run = folder.resolve("run");
    long bill = Ledger.micros(new Ledger(run).accounts());
    long meter = ec2.micros();
    long leaks = ec2.leaks();
    String worst = Files.readString(run.resolve("worst-case.txt"));
    check("the worst case was kept", worst.contains("Worst case"));
    check("the bill is printed", said.contains("Bill: $%.6f".formatted(bill / 1e6)));
    check("it is below the ceiling", bill < CEILING_USD * 1e6);
    say(
        "finish",
        "%d machines in all; bill $%.6f, meter $%.6f, worst case $%.2f"
            .formatted(ec2.instances().size(), bill / 1e6, meter / 1e6, CEILING_USD));
    System.out.println("leaks=%d bill%smeter".formatted(leaks, bill == meter ? "=" : "!="));
    check("nothing is left", leaks == 0 && bill == meter);
  }
}
