package io.deepvm.places.ledger;

import java.io.IOException;
import java.util.List;

/**
 * What a run has cost by its ledger.
 *
 * @param micros what the machines have cost that are gone
 * @param mostMicros the same with what the others cost at most if they are left alone
 * @param exact whether the place stated all times and prices of the machines that are gone
 * @param machines how many there were
 * @param ceilingMicros what the run may cost
 * @param open nodes whose machine may exist
 * @param forgotten nodes whose end the place never stated, and does not know any more
 */
public record Bill(
    long micros,
    long mostMicros,
    boolean exact,
    long machines,
    long ceilingMicros,
    List<String> open,
    List<String> forgotten) {
  public Bill {
    open = List.copyOf(open);
    forgotten = List.copyOf(forgotten);
  }

  /** Reads a ledger. */
  public static Bill of(Ledger ledger, Ceiling ceiling) throws IOException {
    List<Account> accounts = ledger.accounts();
    long micros = Ledger.micros(accounts);
    return new Bill(
        micros,
        ceiling.worstMicros(micros, Leases.costs(accounts, ledger.leases())),
        accounts.stream().map(Account::gone).allMatch(gone -> gone == null || gone.exact()),
        accounts.stream().filter(each -> each.granted() != null).count(),
        ceiling.micros(),
        accounts.stream().filter(Account::mayCost).map(Account::node).toList(),
        accounts.stream()
            .filter(each -> each.gone() != null && each.gone().forgotten())
            .map(Account::node)
            .toList());
  }

  /** Whether the place has stated the end of every machine. */
  public boolean isSettled() {
    return open.isEmpty() && forgotten.isEmpty();
  }
}
