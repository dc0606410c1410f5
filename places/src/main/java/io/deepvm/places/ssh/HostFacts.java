package io.deepvm.places.ssh;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * What a host says of itself.
 *
 * @param machine its architecture, like x86_64
 * @param libc its C library with the version
 * @param nowSeconds its clock
 * @param freeKib room on the disk of the folder
 * @param gpus how many GPUs nvidia-smi lists
 * @param lacks tools that are missing there; empty if none is
 * @param busy another node that is on the host; "no" if none is
 */
public record HostFacts(
    String machine,
    String libc,
    long nowSeconds,
    long freeKib,
    int cores,
    int gpus,
    String lacks,
    String busy) {

  static HostFacts of(String text) throws IOException {
    Map<String, String> facts = new HashMap<>();
    for (String line : text.lines().toList()) {
      String[] words = line.split(" ", 2);
      facts.put(words[0], words.length == 2 ? words[1].strip() : "");
    }
    try {
      return new HostFacts(
          get(facts, "machine"),
          get(facts, "libc"),
          Long.parseLong(get(facts, "now")),
          Long.parseLong(get(facts, "free")),
          Integer.parseInt(get(facts, "cores")),
          Integer.parseInt(get(facts, "gpus")),
          get(facts, "lacks"),
          get(facts, "busy"));
    } catch (NumberFormatException e) {
      throw new IOException("the host answered '%s'".formatted(text), e);
    }
  }

  private static String get(Map<String, String> facts, String name) throws IOException {
    String value = facts.get(name);
    if (value == null) {
      throw new IOException("the host does not say its " + name);
    }
    return value;
  }
}
