package io.deepvm.trainer.data;

import io.deepvm.base.BadInput;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which samples are trained on.
 *
 * @param samples how many are generated
 * @param classes how many classes of images, or letters of text, are generated
 * @param noise how much of it lies over generated images
 * @param length how many tokens a sample of text has
 * @param folder where the user's own are
 */
public record DataSpec(
    Kind kind, long samples, int classes, double noise, int length, @Nullable Path folder) {

  /** The known kinds. */
  public enum Kind {
    GENERATED_IMAGES("generated-images"),
    GENERATED_TEXT("generated-text"),
    IMAGE_FOLDER("images"),
    TEXT_FOLDER("text");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  public DataSpec {
    if (samples < 1 || classes < 2 || !(noise >= 0) || length < 2) {
      throw new BadInput(
          "The data has %d samples of %d classes, noise %s and length %d."
              .formatted(samples, classes, noise, length),
          "Maybe give at least 1 sample, 2 classes, no negative noise and a length of 2.");
    }
  }

  /** Returns the samples. */
  public Dataset open(long seed) {
    return switch (kind) {
      case GENERATED_IMAGES -> new GeneratedImages(seed, samples, classes, noise);
      case GENERATED_TEXT -> new GeneratedText(seed, samples, classes, length);
      case IMAGE_FOLDER -> new ImageFolder(own());
      case TEXT_FOLDER -> new TextFolder(own(), length);
    };
  }

  private Path own() {
    if (folder == null) {
      throw new BadInput(
          "The data are %s without a folder.".formatted(kind), "Maybe write data.folder: PATH.");
    }
    return folder;
  }
}
