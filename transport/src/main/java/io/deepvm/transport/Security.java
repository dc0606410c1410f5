package io.deepvm.transport;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the two sides of a connection know each other, and how they keep others out.
 *
 * <p>A connection to an address beyond loopback uses TLS 1.3. A side without a given certificate
 * makes one for itself. The proof of the secret covers the server's certificate, so that an
 * attacker between the two sides, who has another certificate, is refused.
 */
public final class Security {

  /** When a connection uses TLS. */
  private enum Encryption {
    NEVER,
    BEYOND_LOOPBACK,
    ALWAYS
  }

  private final @Nullable Secrets secrets;
  private final Role own;
  private final Role other;
  private final Encryption encryption;
  private final @Nullable Certified given;
  private final List<X509Certificate> authorities;
  private @Nullable TlsKeys keys;

  private Security(
      @Nullable Secrets secrets,
      Role own,
      Role other,
      Encryption encryption,
      @Nullable Certified given,
      List<X509Certificate> authorities) {
    this.secrets = secrets;
    this.own = own;
    this.other = other;
    this.encryption = encryption;
    this.given = given;
    this.authorities = authorities;
  }

  /** Returns no security at all, which is possible on loopback only. */
  public static Security none() {
    return new Security(
        null, Role.WORKER, Role.WORKER, Encryption.BEYOND_LOOPBACK, null, List.of());
  }

  /**
   * Returns security by these secrets, between workers unless {@link #as} and {@link #to} say
   * otherwise.
   */
  public static Security of(Secrets secrets) {
    return new Security(
        secrets, Role.WORKER, Role.WORKER, Encryption.BEYOND_LOOPBACK, null, List.of());
  }

  /**
   * Returns security by this token, between workers unless {@link #as} and {@link #to} say
   * otherwise.
   */
  public static Security of(Token token) {
    return of(Secrets.of(token));
  }

  /** Returns the same for a side of this role. */
  public Security as(Role role) {
    return new Security(secrets, role, other, encryption, given, authorities);
  }

  /** Returns the same for connecting to servers of this role; a server takes clients of any. */
  public Security to(Role role) {
    return new Security(secrets, own, role, encryption, given, authorities);
  }

  /** Returns the same with TLS on loopback, too. */
  public Security encrypted() {
    return new Security(secrets, own, other, Encryption.ALWAYS, given, authorities);
  }

  /**
   * Returns the same without TLS. Anybody on the path can then read and change the bytes, so this
   * is for networks that encrypt by themselves.
   */
  public Security unencrypted() {
    return new Security(secrets, own, other, Encryption.NEVER, given, authorities);
  }

  /** Returns the same with this certificate and key, both PEM files, and TLS on loopback, too. */
  public Security withCertificate(Path certificate, Path key) {
    return new Security(
        secrets, own, other, Encryption.ALWAYS, Certified.read(certificate, key), authorities);
  }

  /**
   * Returns the same with TLS on loopback, too, and only for certificates that are in this PEM file
   * or issued by one that is. A server then asks its clients for a certificate.
   */
  public Security withAuthority(Path file) {
    return new Security(
        secrets, own, other, Encryption.ALWAYS, given, Certified.certificates(file));
  }

  @Nullable Secrets secrets() {
    return secrets;
  }

  Role own() {
    return own;
  }

  Role other() {
    return other;
  }

  /** Throws if strangers could use an endpoint with this address. */
  void check(InetSocketAddress address) {
    if (secrets == null
        && authorities.isEmpty()
        && !address.isUnresolved()
        && !address.getAddress().isLoopbackAddress()) {
      throw new BadInput(
          "The address "
              + address
              + " is beyond loopback, and there is neither a token nor TLS with certificates.",
          "Maybe set a token, or use 127.0.0.1.");
    }
  }

  /**
   * Returns the wire of a connection that has just been made.
   *
   * @param server the address that the client used: both sides look at it, so they come to the same
   *     answer
   */
  TransportWire wire(SocketChannel channel, boolean client, InetSocketAddress server)
      throws IOException {
    boolean tls =
        switch (encryption) {
          case NEVER -> false;
          case BEYOND_LOOPBACK -> server.isUnresolved() || !server.getAddress().isLoopbackAddress();
          case ALWAYS -> true;
        };
    return tls ? tls(channel, client) : new PlainWire(channel);
  }

  private TransportWire tls(SocketChannel channel, boolean client) throws IOException {
    return client
        ? TlsWire.client(channel, keys())
        : TlsWire.server(channel, keys(), !authorities.isEmpty());
  }

  private synchronized TlsKeys keys() {
    if (keys == null) {
      keys = TlsKeys.of(given == null ? SelfSigned.make() : given, authorities);
    }
    return keys;
  }

  @Override
  public String toString() {
    return "Security[" + own + ", " + encryption + "]";
  }
}
