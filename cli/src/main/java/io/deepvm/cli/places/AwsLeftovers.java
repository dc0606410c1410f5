package io.deepvm.cli.places;

import io.deepvm.base.BadInput;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.print.Csv;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.Json;
import io.deepvm.cli.print.Table;
import io.deepvm.cli.run.AwsRunner;
import io.deepvm.places.aws.AwsAccount;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What runs have left in an AWS account: everything there that carries their tags. */
record AwsLeftovers(Terminal terminal, String region) {

  /** A place that begins so is an AWS account. */
  static final String PREFIX = "aws:";

  AwsLeftovers {
    if (!region.matches("[a-z]{2,3}(-[a-z]+)+-\\d")) {
      throw new BadInput("'%s' is no region of AWS.".formatted(region), "Maybe aws:us-east-1.");
    }
  }

  /**
   * Lists it, and ends one run.
   *
   * @param run only this one; null for all
   */
  int call(boolean end, @Nullable String run, Format format) throws IOException {
    if (end && run == null) {
      throw new BadInput(
          "--end would end machines of every run in the account.",
          "Maybe name the run: --run RUN, as the list shows it.");
    }
    AwsAccount account = AwsRunner.account(region, terminal);
    List<AwsAccount.Leftover> all = new ArrayList<>(AwsRunner.asking(terminal, account::leftovers));
    all.removeIf(each -> run != null && !each.run().equals(run));
    print(all, format);
    if (!end || run == null || all.isEmpty()) {
      return Exit.DONE;
    }
    boolean none = account.end(run);
    terminal
        .err()
        .println(
            none
                ? run + ": ended."
                : run + ": its machines end now; repeat this in a minute to see that they have.");
    return none ? Exit.DONE : Exit.FAILED_INSIDE;
  }

  private void print(List<AwsAccount.Leftover> all, Format format) {
    switch (format) {
      case TABLE -> table(all);
      case JSON -> json(all);
      case CSV -> csv(all);
    }
  }

  private void table(List<AwsAccount.Leftover> all) {
    if (all.isEmpty()) {
      terminal.out().println("Nothing is left in %s.".formatted(region));
      return;
    }
    Table table = new Table("RUN", "NODE", "KIND", "ID", "STATE", "ENDS BY", "OWNER");
    for (AwsAccount.Leftover each : all) {
      table.row(
          each.run(),
          each.node(),
          each.kind(),
          each.id(),
          each.state(),
          each.until(),
          each.owner());
    }
    table.print(terminal.out(), terminal.paint(), "");
  }

  private void json(List<AwsAccount.Leftover> all) {
    Json.object(
        terminal.out(),
        json -> {
          json.put("schema", "deepvm/places-leftovers-aws/v1");
          json.array(
              "leftovers",
              list -> {
                for (AwsAccount.Leftover each : all) {
                  list.object(
                      o -> {
                        o.put("run", each.run());
                        o.put("node", each.node());
                        o.put("kind", each.kind());
                        o.put("id", each.id());
                        o.put("state", each.state());
                        o.put("until", each.until());
                        o.put("owner", each.owner());
                      });
                }
              });
        });
  }

  private void csv(List<AwsAccount.Leftover> all) {
    Csv csv = new Csv(terminal.out()).row("run", "node", "kind", "id", "state", "until", "owner");
    for (AwsAccount.Leftover each : all) {
      csv.row(
          each.run(),
          each.node(),
          each.kind(),
          each.id(),
          each.state(),
          each.until(),
          each.owner());
    }
  }
}
