package io.deepvm.checkpoint;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.anchor.AnchorOptions;
import io.deepvm.checkpoint.anchor.AnchorService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** An anchor to be killed; the argument is its folder, it says its port and ends with its input. */
public final class AnchorProcess {

  private AnchorProcess() {}

  public static void main(String[] args) throws IOException {
    AnchorService anchor =
        new AnchorService(
            AnchorOptions.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                DataSize.parse("8MiB"),
                Path.of(args[0])));
    anchor.start();
    System.out.println(anchor.address().getPort());
    while (System.in.read() >= 0) {
      // nobody writes here; the end of the input is the end of the test
    }
    Runtime.getRuntime().halt(0);
  }

  /** Starts one, which says its port in its first line. */
  public static Process start(Path folder) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            AnchorProcess.class.getName(),
            folder.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
