package io.deepvm.cli;

import io.deepvm.checkpoint.s3.S3Location;
import io.deepvm.checkpoint.s3.S3Tier;
import io.deepvm.units.DataSize;
import java.net.URI;

/** Object stores named on the command line; credentials and server come from the environment. */
final class ObjectStore {

  private static final DataSize UPLOADS = DataSize.parse("256MiB");

  private ObjectStore() {}

  static boolean isMeant(String text) {
    return text.startsWith("s3:");
  }

  /** Opens s3://BUCKET/PREFIX, at AWS_ENDPOINT_URL when that is set. */
  static S3Tier open(String name, String url) {
    String endpoint = System.getenv("AWS_ENDPOINT_URL");
    URI server = endpoint == null || endpoint.isEmpty() ? null : URI.create(endpoint);
    return S3Tier.open(name, S3Location.parse(url, null, server), UPLOADS);
  }
}
