package io.deepvm.simulator.gang;

/**
 * What the published policies do that they better did not, by choice: a study asks for all of it, a
 * user for none.
 *
 * @param dropsBeforeTrying stops what runs before it is known that spot can be had instead
 * @param fallsBackToFirstZone goes on demand in the first zone of the list, whatever it costs
 * @param misreadsMoves leaves the record of a run open when the gang moves from spot to spot, and
 *     takes a move from on demand to spot in one zone for the end of the spot run
 * @param noneKeepsPaying when nothing is worth running, keeps what runs and forgets where it was;
 *     else on demand is stopped, and spot kept, whose restart is paid
 * @param restartAsLumpSum takes the dollars of a move on demand off a value per hour, and none for
 *     a restart in the same zone
 */
public record Quirks(
    boolean dropsBeforeTrying,
    boolean fallsBackToFirstZone,
    boolean misreadsMoves,
    boolean noneKeepsPaying,
    boolean restartAsLumpSum) {

  /** What a user wants. */
  public static final Quirks NONE = new Quirks(false, false, false, false, false);

  /** What the published figures were made with. */
  public static final Quirks PUBLISHED = new Quirks(true, true, true, true, true);
}
