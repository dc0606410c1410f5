package io.deepvm.cli;

import io.deepvm.checkpoint.s3.S3Location;
import io.deepvm.checkpoint.s3.S3Tier;
import io.deepvm.units.BadInput;
import io.deepvm.units.DataSize;
import java.net.URI;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Object stores named on the command line; credentials and server come from the environment. */
final class ObjectStore {

  /** The store's client logs here; held, because the level of a forgotten logger is lost. */
  private static final Logger CLIENT = Logger.getLogger("software.amazon.awssdk");

  private static final DataSize UPLOADS = DataSize.parse("256MiB");

  private ObjectStore() {}

  static boolean isMeant(String text) {
    return text.startsWith("s3:");
  }

  /** Opens s3://BUCKET/PREFIX, at AWS_ENDPOINT_URL when that is set. It must be there. */
  static S3Tier open(String name, String url) {
    // all trouble of the store is said by us, in one line
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
