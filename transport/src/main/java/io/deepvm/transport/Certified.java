package io.deepvm.transport;

import io.deepvm.base.BadInput;
import io.deepvm.base.PrivateFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A private key and the chain of certificates that belongs to it. */
record Certified(PrivateKey key, List<X509Certificate> chain) {

  private static final Pattern PKCS8 =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

  /** Returns the key and certificates of two PEM files. */
  static Certified read(Path certificate, Path key) {
    List<X509Certificate> chain = certificates(certificate);
    String pem = PrivateFiles.readSecret(key, "key");
    Matcher block = PKCS8.matcher(pem);
    if (!block.find()) {
      throw new BadInput(
          "The key file '" + key + "' holds no unencrypted PKCS #8 key.",
          "Maybe convert it: openssl pkcs8 -topk8 -nocrypt -in OLD -out NEW.");
    }
    String algorithm = chain.get(0).getPublicKey().getAlgorithm();
    try {
      byte[] encoded = Base64.getMimeDecoder().decode(block.group(1));
      PrivateKey secret =
          KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      return new Certified(secret, chain);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new BadInput(
          "The key file '" + key + "' holds no key of the kind " + algorithm + ".",
          "Maybe give the key that belongs to " + certificate + ".");
    }
  }

  /** Returns the certificates of a PEM file, at least one. */
  static List<X509Certificate> certificates(Path file) {
    try {
      List<X509Certificate> found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (!found.isEmpty()) {
        return found;
      }
    } catch (CertificateException e) {
      // The same as none.
    } catch (IOException e) {
      throw new BadInput(
          "The certificate file '" + file + "' cannot be read.", "Maybe the path is wrong.");
    }
    throw new BadInput(
        "The file '" + file + "' holds no X.509 certificate.", "Maybe give a PEM file.");
  }

  /** Returns the SHA-256 of the certificate. */
  static byte[] fingerprint(Certificate certificate) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has SHA-256 and encodes what it has read.", e);
    }
  }
}
