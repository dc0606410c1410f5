package io.deepvm.places.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A process for ever: its number, which the kernel uses again, and the kernel's time of its start.
 *
 * @param start in ticks of the kernel since it started
 */
record ProcessId(long pid, long start) {

  /** Where the start is among the fields after the command's name in /proc/PID/stat. */
  private static final int START_TIME = 19;

  /** Reads an id, written as pid@start. */
  static ProcessId parse(String text) {
    int at = text.indexOf('@');
    return new ProcessId(
        Long.parseLong(text.substring(0, at)), Long.parseLong(text.substring(at + 1)));
  }

  /** Returns the id of a process that has this number now; empty if there is none. */
  static Optional<ProcessId> of(long pid) {
    try {
      return Optional.of(new ProcessId(pid, Long.parseLong(fields(pid)[START_TIME])));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String[] fields(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
    // The command's name, in brackets, may contain anything.
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
  }

  /** Whether the process runs; one that has ended and waits to be reaped does not. */
  boolean isAlive() {
    try {
      String[] fields = fields(pid);
      boolean ended = fields[0].equals("Z") || fields[0].equals("X");
      return !ended && fields[START_TIME].equals(Long.toString(start));
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns the process if it runs. */
  Optional<ProcessHandle> find() {
    return ProcessHandle.of(pid).filter(process -> isAlive());
  }

  @Override
  public String toString() {
    return pid + "@" + start;
  }
}
