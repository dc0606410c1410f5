package io.deepvm.cli;

import io.deepvm.base.BadInput;
import io.deepvm.base.Suggestion;
import io.deepvm.cli.console.Exit;
import io.deepvm.cli.console.Terminal;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what went wrong in one line and what to do about it in another. */
final class Problems implements IParameterExceptionHandler, IExecutionExceptionHandler {

  private final Terminal terminal;
  private @Nullable ConfigFile config;

  Problems(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Lets messages name the file that a wrong default came from. */
  void know(ConfigFile file) {
    config = file;
  }

  /** Says what is wrong before a command is known. */
  int badInput(BadInput problem) {
    return badInput(String.valueOf(problem.getMessage()), problem.wayOut(), problem);
  }

  @Override
  public int handleParseException(ParameterException problem, String[] args) {
    String file = config == null ? "" : config.source(problem.getArgSpec(), args);
    String option =
        problem.getArgSpec() instanceof OptionSpec o ? file + o.longestName() + ": " : "";
    if (problem.getCause() instanceof BadInput cause) {
      return badInput(option + cause.getMessage(), cause.wayOut(), cause);
    }
    if (problem instanceof UnmatchedArgumentException unmatched) {
      return unknown(unmatched);
    }
    String message = String.valueOf(problem.getMessage()).strip();
    return badInput(
        file + (message.endsWith(".") || message.endsWith("?") ? message : message + "."),
        problem instanceof MissingParameterException missing && !missing.getMissing().isEmpty()
            ? "Maybe add it, as in: " + example(problem.getCommandLine())
            : seeHelp(problem.getCommandLine()),
        problem);
  }

  @Override
  public int handleExecutionException(
      Exception problem, CommandLine commandLine, ParseResult parsed) {
    Throwable cause =
        problem instanceof UncheckedIOException io && io.getCause() != null
            ? io.getCause()
            : problem;
    if (cause instanceof BadInput bad) {
      return badInput(bad);
    }
    if (cause instanceof FileSystemException file) {
      return badInput(
          "'%s' %s.".formatted(place(file), reason(file)),
          "Maybe check the path and your rights on it.",
          file);
    }
    return failedInside(problem);
  }

  /** Says that the fault is ours, and how to see where. */
  int failedInside(Throwable problem) {
    String message = problem.getMessage() == null ? "" : ": " + problem.getMessage();
    say("DeepVM failed inside (%s%s).".formatted(problem.getClass().getSimpleName(), message));
    say(
        terminal.trace()
            ? "Maybe report it with the trace below."
            : "Maybe run it again with DEEPVM_TRACE=1 to see where, and report it.");
    trace(problem);
    return Exit.FAILED_INSIDE;
  }

  private int badInput(String message, String wayOut, Throwable problem) {
    say(message);
    say(wayOut);
    trace(problem);
    return Exit.BAD_INPUT;
  }

  private int unknown(UnmatchedArgumentException unmatched) {
    CommandLine command = unmatched.getCommandLine();
    String word = unmatched.getUnmatched().get(0);
    List<String> known = new ArrayList<>();
    String what;
    if (word.startsWith("-")) {
      what = "option";
      command.getCommandSpec().options().forEach(o -> known.addAll(List.of(o.names())));
    } else {
      what = command.getSubcommands().isEmpty() ? "argument" : "command";
      known.addAll(command.getSubcommands().keySet());
    }
    return badInput(
        "'%s' has no %s '%s'."
            .formatted(command.getCommandSpec().qualifiedName(), what, shorten(word)),
        Suggestion.maybe(word.split("=", 2)[0], known, seeHelp(command)),
        unmatched);
  }

  private static String seeHelp(CommandLine command) {
    return "Maybe see '%s --help'.".formatted(command.getCommandSpec().qualifiedName());
  }

  /** Returns the example at the foot of the command's help. */
  private static String example(CommandLine command) {
    String example = "";
    for (String line : command.getCommandSpec().usageMessage().footer()) {
      if (line.strip().startsWith("deepvm ") || example.endsWith("\\")) {
        // a backslash at the end means that the next line belongs to it
        example = example.replace("\\", "") + line.strip();
        if (!example.endsWith("\\")) {
          return example;
        }
      }
    }
    return seeHelp(command);
  }

  /** Returns the path as the exception knows it; of two paths, both. */
  private static String place(FileSystemException file) {
    return file.getOtherFile() == null
        ? String.valueOf(file.getFile())
        : "%s -> %s".formatted(file.getFile(), file.getOtherFile());
  }

  private static String reason(FileSystemException file) {
    if (file instanceof NoSuchFileException) {
      return "does not exist";
    }
    if (file instanceof FileAlreadyExistsException) {
      return "exists already";
    }
    if (file instanceof AccessDeniedException) {
      return "may not be read or changed by this user";
    }
    if (file instanceof DirectoryNotEmptyException) {
      return "is a folder that is not empty";
    }
    if (file instanceof NotDirectoryException) {
      return "is not a folder";
    }
    if (file.getReason() == null) {
      return "cannot be used as a file or folder";
    }
    return "cannot be used: " + file.getReason();
  }

  private static String shorten(String word) {
    return word.length() <= 60 ? word : word.substring(0, 60) + "...";
  }

  private void say(String line) {
    terminal.err().println(line);
  }

  private void trace(Throwable problem) {
    if (terminal.trace()) {
      problem.printStackTrace(terminal.err());
    }
  }
}
