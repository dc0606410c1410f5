package io.deepvm.cli;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import java.util.List;
import java.util.Map;
import java.util.Stack;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * Options that had another name once. The former name works on, but no help, suggestion or
 * completion shows it: picocli knows only the present name.
 */
final class FormerNames {

  /** The present name of an option under the name it had, where the value is one that it took. */
  private record Former(String command, String then, String now, Predicate<String> takes) {

    Former(String command, String then, String now) {
      this(command, then, now, value -> true);
    }
  }

  private static final List<Former> ALL =
      List.of(
          new Former("simulate", "--market", "--trace"),
          // here --market has a meaning of its own
          new Former("plan", "--market", "--trace", value -> !isMarket(value)),
          new Former("run", "--replay", "--trace"),
          new Former("run", "--job", "--training-job"),
          new Former("profile", "--job", "--training-job"),
          new Former("checkpoint agent", "--job", "--name"),
          new Former("checkpoint ls", "--job", "--name"),
          new Former("checkpoint verify", "--job", "--name"),
          new Former("checkpoint restore", "--job", "--name"),
          new Former("checkpoint gc", "--job", "--name"));

  private FormerNames() {}

  /** Lets the commands understand the former names of their options. */
  static void register(CommandLine all) {
    for (CommandLine command : all.getSubcommands().values()) {
      CommandSpec spec = command.getCommandSpec();
      String name = spec.qualifiedName().substring("deepvm ".length());
      List<Former> formers = ALL.stream().filter(f -> f.command.equals(name)).toList();
      if (!formers.isEmpty()) {
        spec.preprocessor(new Renaming(formers));
      }
      register(command);
    }
  }

  private static boolean isMarket(String value) {
    return Suggestion.nearest(value, List.of("spot", "on-demand", "any")) != null;
  }

  private record Renaming(List<Former> formers) implements IParameterPreprocessor {

    @Override
    public boolean preprocess(
        Stack<String> args, CommandSpec command, ArgSpec arg, Map<String, Object> info) {
      formers.forEach(former -> rename(args, former, command));
      return false;
    }

    /** Renames an option; the top of the stack is the next argument. */
    private static void rename(Stack<String> args, Former former, CommandSpec command) {
      boolean renamed = false;
      boolean given = false;
      for (int i = args.size() - 1; i >= 0 && !args.get(i).equals("--"); i--) {
        String[] parts = args.get(i).split("=", 2);
        String value = parts.length == 2 ? parts[1] : i > 0 ? args.get(i - 1) : "";
        if (parts[0].equals(former.then) && former.takes.test(value)) {
          args.set(i, former.now + args.get(i).substring(former.then.length()));
          renamed = true;
        } else {
          given |= parts[0].equals(former.now);
        }
      }
      if (renamed && given) {
        BadInput twice =
            new BadInput(
                "%s is the former name of %s, and both are given."
                    .formatted(former.then, former.now),
                "Maybe leave %s out.".formatted(former.then));
        throw new ParameterException(command.commandLine(), twice.getMessage(), twice);
      }
    }
  }
}
