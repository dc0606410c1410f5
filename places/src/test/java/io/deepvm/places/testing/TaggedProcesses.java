package io.deepvm.places.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The processes of nodes, by the tag that places give them. */
public final class TaggedProcesses {

  private TaggedProcesses() {}

  /** Returns the processes of this machine that carry the tag, like RUN/NODE. */
  public static List<ProcessHandle> of(String tag) {
    return startingWith(tag + "\0");
  }

  /** Returns the processes of this machine whose tag starts like this. */
  public static List<ProcessHandle> startingWith(String tag) {
    return ProcessHandle.allProcesses().filter(each -> carries(each, tag)).toList();
  }

  private static boolean carries(ProcessHandle process, String tag) {
    try {
      Path environment = Path.of("/proc", Long.toString(process.pid()), "environ");
      String text = new String(Files.readAllBytes(environment), StandardCharsets.UTF_8);
      return text.contains("DEEPVM_TAG=" + tag);
    } catch (IOException e) {
      return false;
    }
  }
}
