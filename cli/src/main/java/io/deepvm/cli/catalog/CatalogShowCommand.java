package io.deepvm.cli.catalog;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.catalog.Catalog;
import io.deepvm.catalog.Listing;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.console.Version;
import io.deepvm.cli.options.CatalogOption;
import io.deepvm.cli.options.OutputOption;
import io.deepvm.cli.print.MachineSheet;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one instance type. */
@Command(
    name = "show",
    description = "Shows all that is known of an instance type, and its prices, cheapest first.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    footer = {"", "Example:", "  deepvm catalog show g4dn.xlarge"})
@SuppressWarnings("NullAway.Init")
public final class CatalogShowCommand implements Callable<Integer> {

  @Parameters(paramLabel = "TYPE", description = "The name of an instance type.")
  private String type;

  @Mixin private CatalogOption catalog;
  @Mixin private OutputOption output;

  private final Terminal terminal;

  public CatalogShowCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Catalog all = catalog.load(terminal);
    List<Listing> listings =
        all.listings().stream().filter(l -> l.machine().name().equalsIgnoreCase(type)).toList();
    if (listings.isEmpty()) {
      TreeSet<String> names = new TreeSet<>();
      all.listings().forEach(l -> names.add(l.machine().name()));
      throw new BadInput(
          "The catalog '%s' has no instance type '%s'.".formatted(all.name(), type),
          Suggestion.maybe(type, names, "Maybe see 'deepvm catalog list'."));
    }
    MachineSheet sheet = new MachineSheet(terminal.out(), terminal.paint());
    switch (output.format) {
      case TABLE -> sheet.table(listings, all);
      case JSON -> sheet.json(listings, all);
      case CSV -> sheet.csv(listings);
    }
    return Exit.DONE;
  }
}
