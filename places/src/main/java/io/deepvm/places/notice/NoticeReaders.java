package io.deepvm.places.notice;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/** All clouds whose notices can be read, each with its usual address. */
public final class NoticeReaders {

  /** The variable that says which clouds an agent asks; unset for none. */
  public static final String VARIABLE = "DEEPVM_NOTICES";

  /** Asks the cloud whose machine this is, as its firmware says; none elsewhere. */
  public static final String AUTO = "auto";

  private static final String LINK_LOCAL = "http://169.254.169.254";

  /**
   * One cloud.
   *
   * @param firmware how the vendor or the board of its machines begins
   */
  private record Source(
      String name, String firmware, String address, BiFunction<URI, Clock, NoticeReader> reader) {}

  private static final List<Source> ALL =
      List.of(
          new Source("aws", "Amazon EC2", LINK_LOCAL, AwsNotices::new),
          new Source("gcp", "Google", LINK_LOCAL, GcpNotices::new),
          new Source("azure", "Microsoft Corporation", LINK_LOCAL, AzureNotices::new),
          new Source(
              "alibaba",
              "Alibaba Cloud",
              "http://100.100.100.200",
              (base, clock) -> new AlibabaNotices(base)));

  private NoticeReaders() {}

  /**
   * Returns the readers that a setting names.
   *
   * @param setting "auto", "none", or a list like "aws,gcp=http://127.0.0.1:8000"
   */
  public static List<NoticeReader> of(String setting, Clock clock) {
    return of(setting, clock, Path.of("/sys/class/dmi/id"));
  }

  static List<NoticeReader> of(String setting, Clock clock, Path firmware) {
    String text = setting.strip();
    if (text.isEmpty() || text.equals("none")) {
      return List.of();
    }
    if (text.equals(AUTO)) {
      return ALL.stream()
          .filter(source -> isMachineOf(source, firmware))
          .map(source -> source.reader().apply(URI.create(source.address()), clock))
          .toList();
    }
    return Arrays.stream(text.split(",", -1)).map(word -> reader(word.strip(), clock)).toList();
  }

  private static NoticeReader reader(String word, Clock clock) {
    int sign = word.indexOf('=');
    String name = (sign < 0 ? word : word.substring(0, sign)).toLowerCase(Locale.ROOT);
    Source source =
        ALL.stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new BadInput(
                        "%s names the cloud '%s', whose notices cannot be read."
                            .formatted(VARIABLE, name),
                        "Maybe use auto, none, or some of %s."
                            .formatted(
                                ALL.stream().map(Source::name).collect(Collectors.joining(", ")))));
    String address = sign < 0 ? source.address() : word.substring(sign + 1);
    try {
      URI uri = URI.create(address);
      if (!"http".equals(uri.getScheme()) || uri.getHost() == null) {
        throw new IllegalArgumentException(address);
      }
      return source.reader().apply(uri, clock);
    } catch (IllegalArgumentException e) {
      throw new BadInput(
          "%s has the address '%s', which is none.".formatted(VARIABLE, address),
          "Maybe write it like %s=%s.".formatted(name, source.address()));
    }
  }

  private static boolean isMachineOf(Source source, Path firmware) {
    for (String file : List.of("sys_vendor", "board_vendor")) {
      try {
        if (Files.readString(firmware.resolve(file)).startsWith(source.firmware())) {
          return true;
        }
      } catch (IOException e) {
        // This machine does not say.
      }
    }
    return false;
  }
}
