package io.deepvm.trainer.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.deepvm.base.BadInput;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data of the user's own. */
class FoldersTest {

  private static final int PIXELS = 32 * 32;

  @TempDir Path folder;

  private void image(String name, int side, int rgb) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    BufferedImage image = new BufferedImage(side, side, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < side * side; i++) {
      image.setRGB(i % side, i / side, rgb);
    }
    ImageIO.write(image, "png", file.toFile());
  }

  @Test
  void imagesOfAnySizeAreReadByTheFolderOfTheirClass() throws Exception {
    image("dog/1.png", 32, 0x0000ff);
    image("cat/2.png", 100, 0xff0000);
    image("cat/1.png", 7, 0x00ff00);
    ImageFolder images = new ImageFolder(folder);
    assertThat(images.size()).isEqualTo(3);
    assertThat(images.classes()).isEqualTo(2);
    float[] input = new float[5 + images.inputSize()];
    float[] labels = new float[3];
    // cat/1, cat/2, dog/1: green, red, blue
    int[] bright = {1, 0, 2};
    int[] label = {0, 0, 1};
    for (int sample = 0; sample < 3; sample++) {
      images.read(sample, input, 5, labels, sample);
      assertThat(labels[sample]).isEqualTo(label[sample]);
      for (int channel = 0; channel < 3; channel++) {
        float expected = channel == bright[sample] ? 1 : -1;
        assertThat(input[5 + channel * PIXELS]).isEqualTo(expected, within(0.01f));
        assertThat(input[5 + channel * PIXELS + PIXELS - 1]).isEqualTo(expected, within(0.01f));
      }
    }
  }

  @Test
  void whatIsNoImageIsNamed() throws Exception {
    image("cat/1.png", 7, 0);
    Files.createDirectories(folder.resolve("dog"));
    Files.writeString(folder.resolve("dog/notes.txt"), "woof");
    ImageFolder images = new ImageFolder(folder);
    assertThatThrownBy(() -> images.read(1, new float[3 * PIXELS], 0, new float[1], 0))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("notes.txt is no image");
  }

  @Test
  void aFolderWithoutClassesIsRefused() throws Exception {
    image("cat/1.png", 7, 0);
    assertThatThrownBy(() -> new ImageFolder(folder)).isInstanceOf(BadInput.class);
    assertThatThrownBy(() -> new ImageFolder(folder.resolve("nowhere")))
        .isInstanceOf(BadInput.class);
  }

  @Test
  void textIsCutIntoStretchesThatForetellTheNextByte() throws Exception {
    Files.writeString(folder.resolve("b.txt"), "uvwxyz");
    Files.writeString(folder.resolve("a.txt"), "abcdefgh");
    Files.writeString(folder.resolve("c.txt"), "abc");
    Files.writeString(folder.resolve("d.md"), "not for training");
    TextFolder text = new TextFolder(folder, 3);
    // abc, def of the first, uvw of the second; the third has none to foretell after its last
    assertThat(text.size()).isEqualTo(3);
    String[] inputs = {"abc", "def", "uvw"};
    String[] next = {"bcd", "efg", "vwx"};
    for (int sample = 0; sample < 3; sample++) {
      float[] input = new float[4];
      float[] labels = new float[5];
      text.read(sample, input, 1, labels, 2);
      for (int i = 0; i < 3; i++) {
        assertThat(input[1 + i]).isEqualTo(inputs[sample].charAt(i));
        assertThat(labels[2 + i]).isEqualTo(next[sample].charAt(i));
      }
    }
  }

  @Test
  void aFolderWithoutEnoughTextIsRefused() throws Exception {
    Files.writeString(folder.resolve("a.txt"), "abc");
    assertThatThrownBy(() -> new TextFolder(folder, 3))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("no .txt file longer than 3 bytes");
  }
}
