package io.deepvm.trainer.data;

import io.deepvm.base.BadInput;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** Images in a folder for each class, brought to 32 x 32. */
public final class ImageFolder implements Dataset {

  private static final int SIDE = 32;
  private static final int CHANNELS = 3;

  private record Labelled(Path file, int label) {}

  private final List<Labelled> images = new ArrayList<>();
  private final int classes;

  /** Lists the images; folders and files count in the order of their names. */
  public ImageFolder(Path folder) {
    try {
      List<Path> folders = list(folder).stream().filter(Files::isDirectory).toList();
      classes = folders.size();
      for (int label = 0; label < classes; label++) {
        for (Path file : list(folders.get(label))) {
          images.add(new Labelled(file, label));
        }
      }
    } catch (IOException e) {
      throw new BadInput("The folder %s cannot be read.".formatted(folder), "Maybe it is wrong.");
    }
    if (classes < 2 || images.isEmpty()) {
      throw new BadInput(
          "The folder %s has no two folders with images in them.".formatted(folder),
          "Maybe make a folder for each class.");
    }
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.sorted().toList();
    }
  }

  @Override
  public long size() {
    return images.size();
  }

  @Override
  public int inputSize() {
    return CHANNELS * SIDE * SIDE;
  }

  @Override
  public int labelSize() {
    return 1;
  }

  @Override
  public int classes() {
    return classes;
  }

  @Override
  public void read(long sample, float[] input, int inputAt, float[] labels, int labelsAt) {
    Labelled image = images.get((int) sample);
    labels[labelsAt] = image.label;
    BufferedImage pixels = small(image.file);
    for (int i = 0; i < SIDE * SIDE; i++) {
      int rgb = pixels.getRGB(i % SIDE, i / SIDE);
      for (int channel = 0; channel < CHANNELS; channel++) {
        int value = (rgb >> (8 * (CHANNELS - 1 - channel))) & 0xff;
        input[inputAt + channel * SIDE * SIDE + i] = value / 127.5f - 1;
      }
    }
  }

  private static BufferedImage small(Path file) {
    BufferedImage whole;
    try {
      whole = ImageIO.read(file.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (whole == null) {
      throw new BadInput("%s is no image.".formatted(file), "Maybe keep other files elsewhere.");
    }
    BufferedImage small = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = small.createGraphics();
    graphics.setRenderingHint(
        RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
    graphics.drawImage(whole, 0, 0, SIDE, SIDE, null);
    graphics.dispose();
    return small;
  }
}
