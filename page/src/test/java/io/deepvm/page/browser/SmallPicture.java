package io.deepvm.page.browser;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;

/** Makes pictures of pages smaller: they have few colours, so 256 do. */
final class SmallPicture {

  private static final int COLOURS = 256;

  private SmallPicture() {}

  /**
   * Writes a picture again with its 256 most frequent colours, and the nearest of them elsewhere.
   */
  static void shrink(Path file) throws IOException {
    BufferedImage whole = ImageIO.read(file.toFile());
    Map<Integer, Integer> counts = new HashMap<>();
    for (int y = 0; y < whole.getHeight(); y++) {
      for (int x = 0; x < whole.getWidth(); x++) {
        counts.merge(coarse(whole.getRGB(x, y)), 1, Integer::sum);
      }
    }
    List<Integer> palette =
        counts.entrySet().stream()
            .sorted(Map.Entry.<Integer, Integer>comparingByValue().reversed())
            .limit(COLOURS)
            .map(Map.Entry::getKey)
            .toList();
    int[] colours = new int[COLOURS];
    for (int i = 0; i < palette.size(); i++) {
      colours[i] = palette.get(i);
    }
    IndexColorModel model =
        new IndexColorModel(8, COLOURS, colours, 0, false, -1, java.awt.image.DataBuffer.TYPE_BYTE);
    BufferedImage small =
        new BufferedImage(
            whole.getWidth(), whole.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, model);
    Map<Integer, Integer> nearest = new HashMap<>();
    for (int y = 0; y < whole.getHeight(); y++) {
      for (int x = 0; x < whole.getWidth(); x++) {
        int index =
            nearest.computeIfAbsent(coarse(whole.getRGB(x, y)), colour -> nearest(colour, palette));
        small.getRaster().setSample(x, y, 0, index);
      }
    }
    ImageIO.write(small, "png", file.toFile());
  }

  /** Drops what eyes do not see; white stays white. */
  private static int coarse(int rgb) {
    int coarse = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      int part = rgb >> shift & 0xff;
      coarse |= Math.min(255, Math.round(part / 5f) * 5) << shift;
    }
    return coarse;
  }

  private static int nearest(int colour, List<Integer> palette) {
    int best = 0;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < palette.size(); i++) {
      long distance = 0;
      for (int shift = 16; shift >= 0; shift -= 8) {
        int difference = (colour >> shift & 0xff) - (palette.get(i) >> shift & 0xff);
        distance += (long) difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
    return best;
  }
}
