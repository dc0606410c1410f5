package io.deepvm.checkpoint.s3;

import io.deepvm.base.BadInput;
import java.io.IOException;
import java.net.UnknownHostException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Says in one sentence why an object store cannot be used. */
final class StoreTrouble {

  private static final String CREDENTIALS =
      "Maybe set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.";
  private static final String SERVER =
      "Maybe check the network, or the server's address in AWS_ENDPOINT_URL.";

  private final S3Location location;

  StoreTrouble(S3Location location) {
    this.location = location;
  }

  /** Returns what the user can do about it. */
  BadInput of(SdkException problem) {
    return problem instanceof S3Exception answer ? answered(answer) : unanswered(problem);
  }

  /** Returns that the store gives one generation to several sessions, and a way out. */
  BadInput claims(IOException problem) {
    return new BadInput(
        "%s does not create an object for one writer only: %s."
            .formatted(server(), problem.getMessage()),
        "Maybe update the store to one with conditional writes, or save into a folder.");
  }

  /** The server answered, and refused. */
  private BadInput answered(S3Exception answer) {
    String code = answer.awsErrorDetails() == null ? "" : answer.awsErrorDetails().errorCode();
    String said = "%s%s".formatted(answer.statusCode(), code.isEmpty() ? "" : " " + code);
    String bucket = location.bucket();
    return switch (answer.statusCode()) {
      case 404 ->
          new BadInput(
              "%s has no bucket '%s'.".formatted(server(), bucket),
              "Maybe create it, or check its name.");
      case 401, 403 ->
          new BadInput(
              "%s does not let these credentials use bucket '%s' (%s)."
                  .formatted(server(), bucket, said),
              "Maybe check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and the bucket's policy.");
      case 301, 307, 400 ->
          new BadInput(
              "Bucket '%s' cannot be used through %s (%s).".formatted(bucket, server(), said),
              region(answer));
      default ->
          new BadInput(
              "%s cannot serve bucket '%s' now (%s).".formatted(server(), bucket, said),
              "Maybe try again later.");
    };
  }

  private static String region(S3Exception answer) {
    return answer
        .awsErrorDetails()
        .sdkHttpResponse()
        .firstMatchingHeader("x-amz-bucket-region")
        .map(region -> "Maybe set AWS_REGION=%s, where the bucket is.".formatted(region))
        .orElse("Maybe set AWS_REGION to the bucket's region.");
  }

  /** No server answered: nothing was asked, or nothing came back. */
  private BadInput unanswered(SdkException problem) {
    String message = String.valueOf(problem.getMessage());
    if (message.contains("credentials")) {
      return new BadInput("There are no credentials for %s.".formatted(server()), CREDENTIALS);
    }
    if (message.contains("region")) {
      return new BadInput(
          "The region of bucket '%s' is not known.".formatted(location.bucket()),
          "Maybe set AWS_REGION, such as AWS_REGION=us-east-1.");
    }
    Throwable cause = problem;
    while (cause.getCause() != null && !(cause instanceof IOException)) {
      cause = cause.getCause();
    }
    String reason =
        cause instanceof UnknownHostException
            ? "there is no host '%s'".formatted(cause.getMessage())
            : String.valueOf(cause.getMessage()).lines().findFirst().orElse("no answer");
    return new BadInput("%s cannot be reached: %s.".formatted(server(), reason), SERVER);
  }

  private String server() {
    return location.endpoint() == null ? "Amazon S3" : "The object store " + location.endpoint();
  }
}
