package io.deepvm.checkpoint.s3;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import java.net.URI;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Opens object stores whose credentials and server come from the environment. */
public final class S3Environment {

  /** The store's client logs here; held, because the level of a forgotten logger is lost. */
  private static final Logger CLIENT = Logger.getLogger("software.amazon.awssdk");

  private static final DataSize UPLOADS = DataSize.parse("256MiB");

  private S3Environment() {}

  /** Opens s3://BUCKET/PREFIX, at AWS_ENDPOINT_URL when that is set. It must be there. */
  public static S3Tier open(String name, String url) {
    // Our own message names each failure of the store, in one line.
    CLIENT.setLevel(Level.OFF);
    return S3Tier.open(name, S3Location.parse(url, null, server()), UPLOADS);
  }

  private static @Nullable URI server() {
    String endpoint = System.getenv("AWS_ENDPOINT_URL");
    if (endpoint == null || endpoint.isEmpty()) {
      return null;
    }
    try {
      URI server = URI.create(endpoint);
      if (server.getScheme() != null && server.getHost() != null) {
        return server;
      }
    } catch (IllegalArgumentException e) {
      // falls through to the one message for all of these
    }
    throw new BadInput(
        "AWS_ENDPOINT_URL is '%s', which is not the address of a server.".formatted(endpoint),
        "Maybe write it like https://storage.example.com:9000.");
  }
}
