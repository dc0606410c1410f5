package io.deepvm.checkpoint.format;

import io.deepvm.base.BadInput;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The place of a shard among those of its checkpoint, and its file's name. */
public record ShardName(int index, int count) {

  private static final Pattern FILE =
      Pattern.compile("shard-(\\d{5,9})-of-(\\d{5,9})\\.safetensors");

  public ShardName {
    if (index < 0 || index >= count || count > 999_999_999) {
      throw new BadInput(
          "There is no shard %d of %d.".formatted(index, count),
          "Maybe count the shards from zero.");
    }
  }

  /** Returns the shard of a file called so. */
  public static ShardName parse(String file) {
    Matcher matcher = FILE.matcher(file);
    if (!matcher.matches()) {
      throw new BadInput(
          "A shard cannot be called '%s'."
              .formatted(file.length() > 100 ? file.substring(0, 100) + "..." : file),
          "Maybe it should be like %s.".formatted(new ShardName(0, 1).file()));
    }
    ShardName name =
        new ShardName(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    if (!name.file().equals(file)) {
      throw new BadInput(
          "A shard cannot be called '%s'.".formatted(file),
          "Maybe it should be %s.".formatted(name.file()));
    }
    return name;
  }

  /** Returns the file's name. */
  public String file() {
    return String.format(Locale.ROOT, "shard-%05d-of-%05d.safetensors", index, count);
  }

  /** Returns whether a file has the name of a shard. */
  public static boolean isName(String file) {
    try {
      parse(file);
      return true;
    } catch (BadInput e) {
      return false;
    }
  }
}
