package io.deepvm.handover;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.util.List;

/** All tools to which a plan can be handed over. */
public final class Handovers {

  /** The tools. */
  public static final List<Handover> ALL =
      List.of(new SkyPilot(), new Terraform(), new JobSet(), new Sbatch());

  private Handovers() {}

  /** Returns the tool of this name. */
  public static Handover named(String name) {
    return ALL.stream()
        .filter(each -> each.tool().equals(name))
        .findFirst()
        .orElseThrow(
            () -> {
              List<String> names = ALL.stream().map(Handover::tool).toList();
              return new BadInput(
                  "'%s' is no tool that a plan can be handed over to.".formatted(name),
                  Suggestion.maybe(
                      name, names, "Maybe use one of %s.".formatted(String.join(", ", names))));
            });
  }
}
