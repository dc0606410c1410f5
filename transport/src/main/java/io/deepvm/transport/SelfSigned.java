package io.deepvm.transport;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.List;

/**
 * Makes a key and a certificate that it signs itself. The JDK has no public way to make a
 * certificate, so this writes the DER encoding of a minimal one (RFC 5280). Nobody trusts its
 * content: the proof of the token covers its fingerprint.
 */
final class SelfSigned {

  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int OBJECT_IDENTIFIER = 0x06;
  private static final int UTF8_STRING = 0x0c;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int VERSION = 0xa0;

  /** 1.2.840.10045.4.3.2, ecdsa-with-SHA256. */
  private static final byte[] ECDSA_WITH_SHA256 = {
    0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x04, 0x03, 0x02
  };

  /** 2.5.4.3, common name. */
  private static final byte[] COMMON_NAME = {0x55, 0x04, 0x03};

  // A node whose clock is wrong must still be able to connect, so it is valid at any time.
  private static final String BEGIN = "20000101000000Z";
  private static final String END = "99991231235959Z";

  private static final int SERIAL_BITS = 127;

  private SelfSigned() {}

  /** Returns a new key on the curve P-256 and its certificate. */
  static Certified make() {
    try {
      SecureRandom random = new SecureRandom();
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), random);
      KeyPair pair = generator.generateKeyPair();
      byte[] algorithm = node(SEQUENCE, node(OBJECT_IDENTIFIER, ECDSA_WITH_SHA256));
      byte[] name =
          node(
              SEQUENCE,
              node(
                  SET,
                  node(
                      SEQUENCE,
                      node(OBJECT_IDENTIFIER, COMMON_NAME),
                      text(UTF8_STRING, "deepvm"))));
      byte[] validity = node(SEQUENCE, text(GENERALIZED_TIME, BEGIN), text(GENERALIZED_TIME, END));
      byte[] signed =
          node(
              SEQUENCE,
              node(VERSION, node(INTEGER, new byte[] {2})),
              node(INTEGER, new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE).toByteArray()),
              algorithm,
              name,
              validity,
              name,
              pair.getPublic().getEncoded());
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(pair.getPrivate(), random);
      signature.update(signed);
      byte[] certificate =
          node(SEQUENCE, signed, algorithm, node(BIT_STRING, new byte[] {0}, signature.sign()));
      X509Certificate read =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(certificate));
      return new Certified(pair.getPrivate(), List.of(read));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every JDK has elliptic curves and X.509.", e);
    }
  }

  private static byte[] text(int tag, String value) {
    return node(tag, value.getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns tag, length and the parts one after the other. */
  private static byte[] node(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream node = new ByteArrayOutputStream();
    node.write(tag);
    int length = content.size();
    if (length < 0x80) {
      node.write(length);
    } else {
      byte[] number = BigInteger.valueOf(length).toByteArray();
      int skip = number[0] == 0 ? 1 : 0;
      node.write(0x80 | (number.length - skip));
      node.write(number, skip, number.length - skip);
    }
    node.writeBytes(content.toByteArray());
    return node.toByteArray();
  }
}
