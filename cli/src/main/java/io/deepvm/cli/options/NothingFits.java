package io.deepvm.cli.options;

import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import io.deepvm.cli.print.Format;
import io.deepvm.cli.print.Json;
import java.util.List;

/**
 * The answer that nothing can be simulated, in the words of a plan's.
 *
 * @param relax what would help, a phrase after "Maybe"
 */
public record NothingFits(String reason, String relax) {

  /** Says it to people, and to programs that asked for JSON; returns the exit code. */
  public int print(Terminal terminal, Format format, String schema) {
    if (format == Format.JSON) {
      Json.object(
          terminal.out(),
          json -> {
            json.put("schema", schema);
            json.texts("policies", List.of());
            json.object(
                "infeasible",
                i -> {
                  i.put("reason", reason);
                  i.texts("relax", List.of(relax));
                });
          });
    }
    terminal.err().println(reason);
    terminal.err().println("Maybe %s.".formatted(relax));
    return Exit.INFEASIBLE;
  }
}
