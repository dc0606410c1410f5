package io.deepvm.market;

import io.deepvm.base.BadInput;
import java.util.Random;

/**
 * Makes markets that could have been: blocks of consecutive ticks of a recorded one, drawn with
 * replacement and put in a row. A block holds all pools, so what happens to several of them at once
 * stays so; what spans more than a block is lost.
 */
public final class BlockBootstrap {

  private final SpotMarket market;
  private final int blockTicks;

  /** Draws blocks of a number of ticks from a market. */
  public BlockBootstrap(SpotMarket market, int blockTicks) {
    if (blockTicks < 1 || blockTicks > market.ticks()) {
      throw new BadInput(
          "A block of %,d ticks does not fit a market of %,d ticks."
              .formatted(blockTicks, market.ticks()),
          "Maybe choose a shorter block.");
    }
    this.market = market;
    this.blockTicks = blockTicks;
  }

  /** Returns a market of a number of ticks, the same for the same seed. */
  public SpotMarket draw(long seed, int ticks) {
    if (ticks < 1) {
      throw new BadInput("A market of %,d ticks is none.".formatted(ticks), "Maybe ask for more.");
    }
    Random random = Seeds.random(seed);
    int[] order = new int[ticks];
    int block = 0;
    for (int t = 0; t < ticks; t++) {
      int inside = t % blockTicks;
      if (inside == 0) {
        block = random.nextInt(market.ticks() - blockTicks + 1);
      }
      order[t] = block + inside;
    }
    return market.rearranged(order);
  }
}
