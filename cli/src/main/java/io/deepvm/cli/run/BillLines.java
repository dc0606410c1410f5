package io.deepvm.cli.run;

import io.deepvm.places.ledger.Bill;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The bill of a run on rented machines, a sentence each. */
final class BillLines {

  private BillLines() {}

  /** Returns what the run has cost, and what is open. */
  static List<String> of(Bill bill, Path folder) {
    List<String> lines = new ArrayList<>();
    String most = bill.open().isEmpty() ? "" : " to $%.6f".formatted(bill.mostMicros() / 1e6);
    lines.add(
        "Bill: %s$%.6f%s for %d machines; the ceiling was $%.2f."
            .formatted(
                bill.exact() ? "" : "at most ",
                bill.micros() / 1e6,
                most,
                bill.machines(),
                bill.ceilingMicros() / 1e6));
    if (!bill.forgotten().isEmpty()) {
      lines.add(
          "EC2 never stated the end of %s, and does not know it any more."
              .formatted(String.join(", ", bill.forgotten())));
    }
    if (!bill.open().isEmpty()) {
      lines.add(
          "EC2 has not confirmed the end of %s. Repeat it: deepvm stop %s"
              .formatted(String.join(", ", bill.open()), Resumption.quoted(folder.toString())));
    }
    return lines;
  }
}
