package io.deepvm.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes certificates and keys in PEM files. */
final class PemFiles {

  private static final String PASSWORD = "changeit";

  private PemFiles() {}

  /** Makes {@code NAME.pem} and {@code NAME.key} for a certificate that signs itself. */
  static void make(Path folder, String name) throws Exception {
    Certified made = SelfSigned.make();
    write(folder, name, made.chain().get(0), made.key());
  }

  /** Makes the same by the JDK's own tool. */
  static void keytool(Path folder, String name, String algorithm) throws Exception {
    Path store = folder.resolve(name + ".p12");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-genkeypair",
                    "-alias",
                    name,
                    "-keyalg",
                    algorithm,
                    "-dname",
                    "CN=" + name,
                    "-validity",
                    "2",
                    "-storetype",
                    "PKCS12",
                    "-storepass",
                    PASSWORD,
                    "-keystore",
                    store.toString()))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    Key key = keys.getKey(name, PASSWORD.toCharArray());
    write(folder, name, keys.getCertificate(name), key);
  }

  private static void write(Path folder, String name, Certificate certificate, Key key)
      throws Exception {
    Files.writeString(folder.resolve(name + ".pem"), pem("CERTIFICATE", certificate.getEncoded()));
    Path file = folder.resolve(name + ".key");
    Files.writeString(file, pem("PRIVATE KEY", key.getEncoded()));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private static String pem(String kind, byte[] bytes) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
        + "\n-----END "
        + kind
        + "-----\n";
  }
}
