package io.deepvm.cli;

import io.deepvm.base.PlainText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;

/**
 * The JDK's usual log on the terminal, as plain text: a message may hold words of a stranger. The
 * JDK makes one when the first message is logged.
 */
public final class PlainLogs {

  private static final String CLASS = "java.util.logging.config.class";
  private static final String FILE = "java.util.logging.config.file";

  /** Configures the log; called by the JDK. */
  public PlainLogs() throws IOException {
    String usual =
        """
        handlers = java.util.logging.ConsoleHandler
        .level = INFO
        java.util.logging.ConsoleHandler.level = INFO
        java.util.logging.ConsoleHandler.formatter = %s
        """
            .formatted(Lines.class.getName());
    LogManager.getLogManager()
        .readConfiguration(new ByteArrayInputStream(usual.getBytes(StandardCharsets.ISO_8859_1)));
  }

  /** Lets the JDK use this for the log, unless the user has configured another. */
  static void prepare() {
    if (System.getProperty(CLASS) == null && System.getProperty(FILE) == null) {
      System.setProperty(CLASS, PlainLogs.class.getName());
    }
  }

  /** Lines as the JDK prints them. */
  public static final class Lines extends SimpleFormatter {
    @Override
    public String format(LogRecord message) {
      return PlainText.ofLines(super.format(message));
    }
  }
}
