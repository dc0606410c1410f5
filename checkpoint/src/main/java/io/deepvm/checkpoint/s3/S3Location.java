package io.deepvm.checkpoint.s3;

import io.deepvm.base.BadInput;
import java.net.URI;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/**
 * A place in an object store that speaks S3.
 *
 * @param prefix folders in the bucket, without a slash at either end; may be empty
 * @param region null for the one of the environment
 * @param endpoint the server; null for Amazon's own
 * @param pathStyle whether the bucket is named in the path, as most servers but Amazon's want it
 */
public record S3Location(
    String bucket,
    String prefix,
    @Nullable String region,
    @Nullable URI endpoint,
    boolean pathStyle) {

  private static final Pattern URL = Pattern.compile("s3://([^/]+)(?:/(.*?))?/?");
  private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
  private static final Pattern PREFIX =
      Pattern.compile("(?:[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:/(?!$)|$)){0,8}");

  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration SILENCE = Duration.ofSeconds(60);
  private static final Duration ATTEMPT = Duration.ofMinutes(10);
  private static final int ATTEMPTS = 5;

  public S3Location {
    if (!BUCKET.matcher(bucket).matches()) {
      throw new BadInput(
          "There can be no bucket '%s'.".formatted(bucket),
          "Maybe use 3 to 63 small letters, digits, '.' and '-'.");
    }
    if (!PREFIX.matcher(prefix).matches()) {
      throw new BadInput(
          "The prefix '%s' cannot be used.".formatted(prefix),
          "Maybe use up to 8 folders of letters, digits, '.', '_' and '-'.");
    }
  }

  /** Reads {@code s3://bucket/prefix}; a server of one's own is addressed in path style. */
  public static S3Location parse(String url, @Nullable String region, @Nullable URI endpoint) {
    Matcher matcher = URL.matcher(url);
    if (!matcher.matches()) {
      throw new BadInput(
          "'%s' is no place in an object store.".formatted(url),
          "Maybe write it as s3://bucket/prefix.");
    }
    String prefix = matcher.group(2);
    return new S3Location(
        matcher.group(1), prefix == null ? "" : prefix, region, endpoint, endpoint != null);
  }

  /** Returns a client with the environment's credentials. */
  public S3Client client() {
    return build(S3Client.builder());
  }

  /** Returns a client with these credentials. */
  public S3Client client(AwsCredentialsProvider credentials) {
    return build(S3Client.builder().credentialsProvider(credentials));
  }

  private S3Client build(S3ClientBuilder builder) {
    if (region != null) {
      builder.region(Region.of(region));
    }
    if (endpoint != null) {
      builder.endpointOverride(endpoint);
    }
    return builder
        .forcePathStyle(pathStyle)
        .httpClientBuilder(
            UrlConnectionHttpClient.builder().connectionTimeout(CONNECT).socketTimeout(SILENCE))
        .overrideConfiguration(
            options ->
                options
                    .apiCallAttemptTimeout(ATTEMPT)
                    .retryStrategy(
                        AwsRetryStrategy.standardRetryStrategy().toBuilder()
                            .retryOnException(S3Location::isHalfAnAnswer)
                            .maxAttempts(ATTEMPTS)
                            .build()))
        // every upload carries an MD5, every read is held against the manifest; the client's own
        // trailing checksums are not understood by all servers
        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
        .build();
  }

  /** The client would take an answer that broke off for one that is final. */
  private static boolean isHalfAnAnswer(Throwable problem) {
    return problem instanceof SdkClientException
        && problem.getCause() instanceof XMLStreamException;
  }
}
