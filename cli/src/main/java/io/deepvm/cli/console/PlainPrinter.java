package io.deepvm.cli.console;

import io.deepvm.base.PlainText;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints text that cannot control a terminal: names come from files of others. Only the emphasis
 * that our own tables and help use gets through, and that only in colour.
 */
public final class PlainPrinter extends PrintWriter {

  /** Bold, faint, italic, red and yellow, and their ends. */
  private static final Pattern EMPHASIS =
      Pattern.compile("\\u001b\\[(?:0|1|2|3|21|22|23|31|33|39)?m");

  public PlainPrinter(Writer target, boolean colour) {
    super(new Plain(target, colour));
  }

  /** Cleans each text on its own: of an escape sequence in two halves, the escape is lost. */
  private static final class Plain extends FilterWriter {

    private final boolean colour;

    Plain(Writer target, boolean colour) {
      super(target);
      this.colour = colour;
    }

    @Override
    public void write(int c) throws IOException {
      write(Character.toString((char) c));
    }

    @Override
    public void write(char[] chars, int from, int length) throws IOException {
      write(new String(chars, from, length));
    }

    @Override
    public void write(String text, int from, int length) throws IOException {
      write(text.substring(from, from + length));
    }

    @Override
    public void write(String text) throws IOException {
      if (!colour) {
        out.write(PlainText.ofLines(text));
        return;
      }
      Matcher emphasis = EMPHASIS.matcher(text);
      int end = 0;
      while (emphasis.find()) {
        out.write(PlainText.ofLines(text.substring(end, emphasis.start())));
        out.write(emphasis.group());
        end = emphasis.end();
      }
      out.write(PlainText.ofLines(text.substring(end)));
    }
  }
}
