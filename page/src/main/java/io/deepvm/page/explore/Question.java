package io.deepvm.page.explore;

import io.deepvm.base.BadInput;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the controls of the page ask, as the words of a command. */
record Question(List<String> options) {

  private static final int LONGEST = 200;

  /** The controls and the option that each stands for. */
  static final Map<String, String> CONTROLS = new LinkedHashMap<>();

  static {
    CONTROLS.put("price", "--max-price-per-hour");
    CONTROLS.put("cost", "--max-cost");
    CONTROLS.put("deadline", "--deadline");
    CONTROLS.put("job", "--job");
    CONTROLS.put("model", "--model");
    CONTROLS.put("epochs", "--epochs");
    CONTROLS.put("gpu", "--gpu");
    CONTROLS.put("place", "--place");
    CONTROLS.put("market", "--market");
    CONTROLS.put("objective", "--objective");
    CONTROLS.put("architecture", "--architecture");
    CONTROLS.put("precision", "--precision");
    CONTROLS.put("confidence", "--confidence");
    CONTROLS.put("catalog", "--catalog");
  }

  /** Returns the question of a request; a control that is not known is refused. */
  static Question of(Map<String, String> query) {
    List<String> options = new ArrayList<>();
    for (Map.Entry<String, String> control : query.entrySet()) {
      String option = CONTROLS.get(control.getKey());
      String value = control.getValue().strip();
      if (option == null || value.length() > LONGEST) {
        throw new BadInput(
            option == null
                ? "There is no control '%s'.".formatted(control.getKey())
                : "The value of %s has %d characters.".formatted(option, value.length()),
            "Maybe load the page again.");
      }
      if (!value.isEmpty()) {
        options.add(option + "=" + value);
      }
    }
    return new Question(options);
  }

  /** Whether the answer needs simulated runs. */
  boolean simulates() {
    return options.stream().anyMatch(option -> option.startsWith("--confidence="));
  }

  /** Returns the words of a command with these options; one word an option, whatever its value. */
  List<String> words(String command, String... more) {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(options);
    words.addAll(List.of(more));
    return words;
  }

  /** Returns the line that a person types. */
  String line() {
    return "deepvm plan"
        + options.stream()
            .map(option -> option.split("=", 2))
            .map(
                parts -> " " + parts[0] + (parts[1].startsWith("-") ? "=" : " ") + quoted(parts[1]))
            .collect(Collectors.joining());
  }

  private static String quoted(String word) {
    return word.matches("[A-Za-z0-9_./:=@%+,-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
