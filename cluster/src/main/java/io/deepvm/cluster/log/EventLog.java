package io.deepvm.cluster.log;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The events of a run in a file, one a line, only ever added to. What a crash tore off in the last
 * line is cut away when the log is opened again.
 */
public final class EventLog implements EventStore {

  private static final JsonMapper JSON =
      JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private static final ObjectReader EVENT = JSON.readerFor(Event.class);

  private final FileChannel file;

  /** Where the next line begins. */
  private long end;

  private boolean dirty;
  private boolean torn;

  /** Adds to a file whose last line is whole. */
  EventLog(FileChannel file) throws IOException {
    this.file = file;
    this.end = file.position();
  }

  /** Opens the log to add to it, after repairing its end. */
  public static EventLog open(Path path) throws IOException {
    FileChannel file =
        PrivateFiles.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      long whole = wholeLines(Files.readAllBytes(path));
      if (whole < file.size()) {
        file.truncate(whole);
        file.force(true);
      }
      file.position(whole);
      return new EventLog(file);
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** Reads all whole events of a log, which may be written to meanwhile. */
  public static List<Logged> read(Path path) throws IOException {
    byte[] bytes = Files.readAllBytes(path);
    String text = new String(bytes, 0, (int) wholeLines(bytes), StandardCharsets.UTF_8);
    List<Logged> events = new ArrayList<>();
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      if (!line.isEmpty()) {
        events.add(parse(line, path, number));
      }
    }
    return events;
  }

  @Override
  public void append(Logged logged) throws IOException {
    ObjectNode line = JSON.createObjectNode();
    line.put("atMs", logged.atMs());
    line.put("marketMs", logged.marketMs());
    // No event may have fields of these names.
    line.setAll((ObjectNode) JSON.valueToTree(logged.event()));
    ByteBuffer bytes =
        ByteBuffer.wrap((JSON.writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8));
    int length = bytes.remaining();
    mend();
    torn = true;
    dirty = true;
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
    torn = false;
    end += length;
  }

  /** Removes the part of a line that a failed write left, so that the next line is whole. */
  private void mend() throws IOException {
    if (torn) {
      file.truncate(end);
      file.position(end);
      torn = false;
    }
  }

  @Override
  public void sync() throws IOException {
    if (dirty) {
      file.force(false);
      dirty = false;
    }
  }

  @Override
  public void close() throws IOException {
    try {
      mend();
      sync();
    } finally {
      file.close();
    }
  }

  /** Returns the length of the whole lines at the start of the bytes. */
  static long wholeLines(byte[] bytes) {
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] != '\n') {
      end--;
    }
    return end;
  }

  /** Returns the event of a line. */
  static Logged parse(String line, Path path, int number) {
    try (JsonParser json = JSON.createParser(line)) {
      json.nextToken();
      if (!"atMs".equals(json.nextFieldName())) {
        return unordered(line);
      }
      // Twice as quick as by way of a tree.
      long atMs = json.nextLongValue(0);
      if (!"marketMs".equals(json.nextFieldName())) {
        return unordered(line);
      }
      long marketMs = json.nextLongValue(0);
      json.nextToken();
      return new Logged(atMs, marketMs, EVENT.readValue(json));
    } catch (JsonProcessingException e) {
      throw new BadInput(
          "Line %d of %s is no event: %s.".formatted(number, path, e.getOriginalMessage()),
          "Maybe the file was edited, or is of a newer DeepVM.");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the event of a line whose times are not its first fields. */
  private static Logged unordered(String line) throws JsonProcessingException {
    JsonNode node = JSON.readTree(line);
    return new Logged(
        node.path("atMs").asLong(),
        node.path("marketMs").asLong(),
        JSON.treeToValue(node, Event.class));
  }
}
