package io.deepvm.transport;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint needs to make TLS connections.
 *
 * @param fingerprint of the certificate that it presents
 */
record TlsKeys(SSLContext context, byte[] fingerprint) {

  /**
   * Returns keys that present this certificate.
   *
   * @param authorities the issuers that the other side may have; if empty, any certificate is taken
   */
  static TlsKeys of(Certified mine, List<X509Certificate> authorities) {
    try {
      TrustManager[] trust = {new Unchecked()};
      if (!authorities.isEmpty()) {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (X509Certificate authority : authorities) {
          store.setCertificateEntry(Integer.toString(store.size()), authority);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(store);
        trust = factory.getTrustManagers();
      }
      SSLContext made = SSLContext.getInstance("TLSv1.3");
      made.init(new KeyManager[] {new OneKey(mine)}, trust, null);
      return new TlsKeys(made, Certified.fingerprint(mine.chain().get(0)));
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("Every JDK has TLS 1.3.", e);
    }
  }

  /** Presents the same certificate to everybody. */
  private static final class OneKey extends X509ExtendedKeyManager {

    private static final String ALIAS = "own";

    private final Certified own;

    OneKey(Certified own) {
      this.own = own;
    }

    @Override
    public String[] getClientAliases(String type, Principal[] issuers) {
      return new String[] {ALIAS};
    }

    @Override
    public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
      return ALIAS;
    }

    @Override
    public String[] getServerAliases(String type, Principal[] issuers) {
      return new String[] {ALIAS};
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
      return own.key().getAlgorithm().equals(type) ? ALIAS : null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return own.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return own.key();
    }
  }

  /** Takes any certificate: the proof of the secret then covers the one that was taken. */
  private static final class Unchecked extends X509ExtendedTrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
