package io.deepvm.bench.chaos;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.s3.S3Location;
import io.deepvm.checkpoint.s3.S3Tier;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import software.amazon.awssdk.services.s3.S3Client;

/** A real S3 server, with one bucket, in this process. */
final class ObjectStore implements AutoCloseable {

  private static final String BUCKET = "checkpoints";
  private static final String USER = "user";
  private static final String SECRET = "secret";

  /** Held, since a logger that nobody holds forgets its level. */
  private static final Logger LOG = Logger.getLogger("org.gaul");

  private final S3Proxy server;

  ObjectStore() throws IOException {
    LOG.setLevel(Level.WARNING);
    System.setProperty("aws.accessKeyId", USER);
    System.setProperty("aws.secretAccessKey", SECRET);
    server =
        S3Proxy.builder()
            .blobStore(new TransientNio2BlobStore())
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, USER, SECRET)
            .ignoreUnknownHeaders(true)
            .build();
    try {
      server.start();
    } catch (Exception e) {
      throw new IOException("The object store does not start.", e);
    }
    try (S3Client client = location(port()).client()) {
      client.createBucket(bucket -> bucket.bucket(BUCKET));
    }
  }

  int port() {
    return server.getPort();
  }

  /** Returns what a process has to be started with to be let in. */
  static List<String> credentials() {
    return List.of("-Daws.accessKeyId=" + USER, "-Daws.secretAccessKey=" + SECRET);
  }

  private static S3Location location(int port) {
    return new S3Location(
        BUCKET, "archive", "us-east-1", URI.create("http://127.0.0.1:" + port), true);
  }

  /** Returns the archive, reached through a port of this machine. */
  static S3Tier tier(int port) {
    S3Location location = location(port);
    return new S3Tier("archive", location, location.client(), DataSize.parse("20MiB"));
  }

  @Override
  public void close() throws IOException {
    try {
      server.stop();
    } catch (Exception e) {
      throw new IOException("The object store does not stop.", e);
    }
  }
}
