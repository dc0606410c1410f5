package io.deepvm.checkpoint.s3;

import io.deepvm.base.DataSize;
import java.net.URI;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.s3.S3Client;

/** A real S3 server within this process, with one bucket. */
public final class StoreServer {

  static final String BUCKET = "checkpoints";

  private static final String USER = "user";
  private static final String SECRET = "secret";

  private final S3Proxy server;

  public StoreServer() throws Exception {
    server =
        S3Proxy.builder()
            .blobStore(new TransientNio2BlobStore())
            .endpoint(URI.create("http://127.0.0.1:0"))
            .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, USER, SECRET)
            .ignoreUnknownHeaders(true)
            .build();
    server.start();
    try (S3Client client = client(endpoint())) {
      client.createBucket(b -> b.bucket(BUCKET));
    }
  }

  int port() {
    return server.getPort();
  }

  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getPort());
  }

  static S3Location location(URI endpoint, String prefix) {
    return new S3Location(BUCKET, prefix, "us-east-1", endpoint, true);
  }

  static S3Client client(URI endpoint) {
    return location(endpoint, "")
        .client(StaticCredentialsProvider.create(AwsBasicCredentials.create(USER, SECRET)));
  }

  /** Returns a tier that reaches this server through an endpoint, with parts of 5 MiB. */
  public static S3Tier tier(URI endpoint, String prefix) {
    return new S3Tier("s3", location(endpoint, prefix), client(endpoint), DataSize.parse("20MiB"));
  }

  public void stop() throws Exception {
    server.stop();
  }
}
