package io.deepvm.cli;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import io.deepvm.cluster.log.Event;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The reference page of the event log, made from the records and their Javadoc. */
final class EventsPage {

  /** The page below the project's folder. */
  static final String FILE = "docs/reference/events.md";

  private static final String SOURCE = "cluster/src/main/java/io/deepvm/cluster/log/Event.java";

  private EventsPage() {}

  /** Returns the text of the page. */
  static String text(Path root) throws IOException {
    String source = Files.readString(root.resolve(SOURCE));
    StringBuilder page =
        new StringBuilder(
            """
            # Events of a run

            `events.jsonl` in [the folder of a run](run-folder.md) has one event a line, oldest first. The log is the only state of a run.
            This page is made from [`Event`](../../%s).

            A line is `{"atMs": ..., "marketMs": ..., "event": {...}}`: milliseconds since 1970, and of the market's time since the start.

            | `event` | meaning | keys |
            |---|---|---|
            """
                .formatted(SOURCE));
    for (JsonSubTypes.Type type : Event.class.getAnnotation(JsonSubTypes.class).value()) {
      String keys =
          Arrays.stream(type.value().getRecordComponents())
              .map(RecordComponent::getName)
              .map(name -> "`" + name + "`")
              .collect(Collectors.joining(", "));
      page.append(
          "| `%s` | %s | %s |%n"
              .formatted(type.name(), meaning(source, type.value().getSimpleName()), keys));
    }
    return page.toString();
  }

  /** Returns the description in the Javadoc of a record, without its parameters. */
  private static String meaning(String source, String record) {
    Matcher found =
        Pattern.compile(
                "/\\*\\*((?:(?!\\*/).)*)\\*/\\s*(?:@\\S+\\s*)*record " + record + "\\(",
                Pattern.DOTALL)
            .matcher(source);
    if (!found.find()) {
      throw new IllegalStateException("The event " + record + " has no Javadoc.");
    }
    String text = found.group(1).replaceAll("\\s*\n\\s*\\*", " ");
    return text.replaceAll("@param.*", "").replaceAll("\\s+", " ").strip();
  }
}
