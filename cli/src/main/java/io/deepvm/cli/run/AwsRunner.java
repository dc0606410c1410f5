package io.deepvm.cli.run;

import io.deepvm.base.AtomicFile;
import io.deepvm.base.BadInput;
import io.deepvm.cli.console.Progress;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cluster.Run;
import io.deepvm.cluster.RunFolder;
import io.deepvm.cluster.RunSpec;
import io.deepvm.cluster.Setting;
import io.deepvm.cluster.log.EventLog;
import io.deepvm.cluster.log.RunStatus;
import io.deepvm.places.Places;
import io.deepvm.places.aws.AwsAccess;
import io.deepvm.places.aws.AwsAccount;
import io.deepvm.places.aws.AwsCloud;
import io.deepvm.places.aws.AwsSettings;
import io.deepvm.places.aws.SignedWire;
import io.deepvm.places.ledger.Bill;
import io.deepvm.places.ledger.Ceiling;
import io.deepvm.places.ssh.SshHost;
import io.deepvm.places.ssh.SshSettings;
import io.deepvm.simulator.PlannedRun;
import java.io.Console;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Trains on machines that are rented from AWS for the run.
 *
 * @param folder where the run's log and its ledger are
 */
public record AwsRunner(Terminal terminal, Path folder, AwsOptions options) {

  private static final Duration LONGEST = Duration.ofDays(365);

  /** An instance that is not there by then is replaced. */
  private static final double BOOT_SECONDS = 600;

  private static final double JOIN_SECONDS = 0.5;
  private static final double FIRST_SECONDS = 60;
  private static final double BLAME_SECONDS = 1;

  /** Services by the name that is signed, as properties and variables of other addresses end. */
  private static final Map<String, String> ENDPOINTS =
      Map.of("ec2", "Ec2", "sts", "Sts", "ssm", "Ssm", "servicequotas", "ServiceQuotas");

  /** Returns where requests to a region go. */
  static AwsAccess access(String region) {
    Map<String, String> endpoints = new TreeMap<>();
    ENDPOINTS.forEach(
        (service, name) -> {
          // As every client of AWS: a property, then a variable of the service, then of all.
          String end = name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toUpperCase(Locale.ROOT);
          String variable = System.getenv("AWS_ENDPOINT_URL_" + end);
          String address =
              System.getProperty(
                  "aws.endpointUrl" + name,
                  variable == null ? System.getenv("AWS_ENDPOINT_URL") : variable);
          if (address != null && !address.isEmpty()) {
            endpoints.put(service, address);
          }
        });
    return new AwsAccess(region, endpoints, null, null);
  }

  /** Opens the account of the user's credentials. */
  public static AwsAccount account(String region, Terminal terminal) {
    return AwsAccount.of(SignedWire.of(access(region)), terminal.clock());
  }

  /** A question to AWS. */
  @FunctionalInterface
  public interface Question<T> {
    T ask() throws IOException;
  }

  /** Asks AWS something, and shows that this takes a while. */
  public static <T> T asking(Terminal terminal, Question<T> question) {
    return Progress.during(
        terminal,
        "Asking AWS",
        () -> {
          try {
            return question.ask();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Prices the plan anew, asks the user, rents its machines and returns how the run ended. */
  RunStatus start(PlannedRun plan, RunOnHosts asked, RunScreen screen, Runnable keep)
      throws IOException, InterruptedException {
    // What the user must state comes before anything that asks AWS.
    long most = options.maxMicros();
    String from = options.from();
    String region = AwsQuote.region(plan);
    if (asked.servers() > 0) {
      throw new BadInput(
          "A job with parameter servers does not run on rented machines yet.",
          "Maybe set strategy: averaging in the job.");
    }
    AwsAccount account = account(region, terminal);
    Map<String, String> zones = asking(terminal, account::zones);
    AwsQuote quote = asking(terminal, () -> AwsQuote.of(plan, account, zones));
    quote.requireQuotas(account);
    AwsSettings checked = settings(region, quote, account, most, from);
    account.requireRights(checked);
    List<String> offer = offer(plan, quote, checked);
    accept(offer, quote, checked);
    keep.run();
    AwsSettings settings = checked.with(asked.shipment());
    settings.write(folder);
    AtomicFile.writePrivate(folder.resolve("worst-case.txt"), String.join("\n", offer) + "\n");
    RunSpec spec =
        RunSpec.of(LocalRunner.name(folder), asked.work(settings.run(), types(plan)))
            .withPatience(BOOT_SECONDS, JOIN_SECONDS, FIRST_SECONDS, BLAME_SECONDS);
    try (screen;
        Run run = Run.start(folder, spec, setting(settings, quote.wanted(), screen))) {
      return run.await(LONGEST);
    }
  }

  /** Goes on with a run whose coordinator died. */
  RunStatus resume(PlannedRun plan, RunScreen screen) throws IOException, InterruptedException {
    AwsSettings settings = AwsSettings.read(folder);
    List<AnyZone.Wanted> wanted = wanted(plan, settings);
    try (screen) {
      EventLog.read(RunFolder.of(folder).events()).forEach(screen::remember);
      try (Run run = Run.resume(folder, setting(settings, wanted, screen))) {
        return run.await(LONGEST);
      }
    }
  }

  /** Returns the nodes of the plan in the pools that the run has. */
  private static List<AnyZone.Wanted> wanted(PlannedRun plan, AwsSettings settings) {
    return plan.workers().stream()
        .map(
            group ->
                new AnyZone.Wanted(
                    IntStream.range(0, settings.pools().size())
                        .filter(
                            p ->
                                settings
                                    .pools()
                                    .get(p)
                                    .instanceType()
                                    .equals(group.pool().instanceType()))
                        .boxed()
                        .toList(),
                    group.market(),
                    group.count()))
        .toList();
  }

  /** Returns a host of each type, for what is a matter of the type alone. */
  private static List<SshHost> types(PlannedRun plan) {
    return plan.workers().stream()
        .map(
            group -> {
              String type = group.pool().instanceType();
              Double gpus = group.gpus();
              return new SshHost(
                  type,
                  new SshHost.Login(type, null, null, null, null, null),
                  null,
                  SshHost.FOLDER,
                  type,
                  gpus == null ? 0 : gpus.intValue());
            })
        .toList();
  }

  private AwsSettings settings(
      String region, AwsQuote quote, AwsAccount account, long most, String from)
      throws IOException {
    String run = "%s-%08x".formatted(LocalRunner.name(folder), new SecureRandom().nextInt());
    long until = terminal.clock().millis() + options.maxMs();
    return new AwsSettings(
        run,
        HostsRunner.owner(),
        access(region).in(account.number()),
        quote.pools(),
        new AwsSettings.Login(account.image(options.image), options.login, from),
        new Ceiling(most, until, Ceiling.Terms.USUAL),
        // A node in its notice and the one that replaces it are there at once.
        2 * quote.nodes(),
        SshSettings.Shipment.NONE);
  }

  /** Returns what the user accepts: the price, the ceiling, and the end. */
  private List<String> offer(PlannedRun plan, AwsQuote quote, AwsSettings settings) {
    Ceiling ceiling = settings.ceiling();
    Ceiling.Terms terms = ceiling.terms();
    long alone = terms.nodeSeconds() + terms.graceSeconds() + terms.endSeconds();
    String end = Instant.ofEpochMilli(ceiling.untilMs()).truncatedTo(ChronoUnit.SECONDS).toString();
    List<String> lines = new ArrayList<>();
    lines.add(
        "EC2 asks $%.4f/h for the plan's %d nodes; the plan said $%.4f/h."
            .formatted(quote.usdPerHour(), quote.nodes(), quote.plannedUsdPerHour()));
    lines.add(
        "Worst case: the machines of this run cost $%.2f, and none lives beyond %s."
            .formatted(ceiling.micros() / 1e6, end));
    lines.add(
        ("Even if this computer is lost, a machine ends itself %d min after its last coordinator."
                + " Volumes and traffic come on top.")
            .formatted((alone + 59) / 60));
    if (plan.anchors() > 0) {
      lines.add(
          "The plan's %d anchors are not rented: checkpoints go where --checkpoints says."
              .formatted(plan.anchors()));
    }
    return lines;
  }

  /** Asks the user; a console that is no terminal answers with its end. */
  @SuppressWarnings("SystemConsoleNull")
  private void accept(List<String> offer, AwsQuote quote, AwsSettings settings) {
    offer.forEach(terminal.err()::println);
    double least =
        quote.usdPerHour()
            * (settings.ceiling().terms().bootSeconds()
                + settings.ceiling().terms().endSeconds()
                + settings.ceiling().terms().partSeconds())
            / 3600;
    if (least * 1e6 > settings.ceiling().micros()) {
      throw new BadInput(
          "--max-cost ($%.2f) is less than the nodes cost until they have booted ($%.2f)."
              .formatted(settings.ceiling().micros() / 1e6, least),
          "Maybe --max-cost %.2f or more.".formatted(4 * least));
    }
    if (options.yes && quote.isDearer()) {
      throw new BadInput(
          "EC2 asks $%.4f/h now, which is more than the plan's $%.4f/h."
              .formatted(quote.usdPerHour(), quote.plannedUsdPerHour()),
          "Maybe plan again with the prices of now, or leave --yes out to be asked.");
    }
    if (options.yes) {
      return;
    }
    Console console = System.console();
    String answer = console == null ? null : console.readLine("Rent them? [y/N] ");
    if (answer == null || !answer.strip().equalsIgnoreCase("y")) {
      throw new BadInput("Nothing was rented.", "Maybe add --yes to rent without being asked.");
    }
  }

  private static Setting setting(
      AwsSettings settings, List<AnyZone.Wanted> wanted, RunScreen screen) {
    int nodes = wanted.stream().mapToInt(AnyZone.Wanted::count).sum();
    return new Setting(
        (timers, clock) -> AwsCloud.of(settings, timers, clock),
        1,
        Setting.steadyScenario(nodes),
        new AnyZone(wanted),
        null,
        screen);
  }

  /** Prints the bill; returns whether EC2 has stated the end of every machine. */
  boolean bill() throws IOException {
    Bill bill = Objects.requireNonNull(Places.of(folder).bill(folder));
    BillLines.of(bill, folder).forEach(terminal.err()::println);
    return bill.isSettled();
  }
}
