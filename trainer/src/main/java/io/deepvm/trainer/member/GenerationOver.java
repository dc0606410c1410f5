package io.deepvm.trainer.member;

/** A newer generation has been formed, or training shall stop: what is under way ends. */
public final class GenerationOver extends Exception {

  GenerationOver() {
    super("A newer order came.", null, false, false);
  }
}
