package io.deepvm.checkpoint.agent;

import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.Claims;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.tier.StaleGeneration;
import io.deepvm.checkpoint.tier.Tier;
import java.io.IOException;
import java.util.List;
import java.util.UUID;

/** Claims generations for clients. To be used by one thread at a time. */
final class AgentClaims {

  private final String job;
  private final Tier last;
  private final Checkpoints checkpoints;

  /** The newest generation that was claimed here. */
  private long generation;

  AgentClaims(String job, List<Tier> tiers, Checkpoints checkpoints) {
    this.job = job;
    this.last = tiers.get(tiers.size() - 1);
    this.checkpoints = checkpoints;
  }

  /** Throws when a newer generation has begun than that of a client that wants to go on. */
  void check(Joining joining) throws IOException, Fenced {
    Claim brought = joining.claim();
    try {
      checkpoints.checkNewest(
          brought == null
              ? request(joining)
              : new Claims.Request(job, brought.owner(), generation, brought.generation()));
    } catch (StaleGeneration e) {
      throw fenced();
    }
  }

  /** Claims the next generation for a client, or takes over the claim that it brings. */
  Claim claim(Joining joining) throws IOException, Fenced {
    Claim brought = joining.claim();
    try {
      Claim claim = brought == null ? checkpoints.nextGeneration(request(joining)) : brought;
      if (brought != null) {
        // rank 0 has got it from another agent, or from this one before it died
        last.claim(job, brought);
      }
      generation = Math.max(generation, claim.generation());
      return claim;
    } catch (StaleGeneration e) {
      if (brought != null || joining.after() != null) {
        throw fenced();
      }
      throw e;
    }
  }

  /** Returns what a client asks for that brings no claim; its own id owns its generations. */
  private Claims.Request request(Joining joining) {
    UUID client = joining.client() == null ? UUID.randomUUID() : joining.client();
    return new Claims.Request(job, client, generation, joining.after());
  }

  private Fenced fenced() throws IOException {
    return new Fenced(Math.max(generation, checkpoints.newestGeneration(job)));
  }
}
