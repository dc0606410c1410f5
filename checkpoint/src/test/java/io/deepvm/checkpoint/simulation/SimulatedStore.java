package io.deepvm.checkpoint.simulation;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectResponse;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * An object store that is slow, fails, and lists new objects late. Puts with {@code If-None-Match}
 * and {@code If-Match} are decided at once, as S3 promises. It stands where the client of the AWS
 * SDK does, so its lost replies include the SDK's own second attempt.
 */
public final class SimulatedStore implements S3Client {

  private static final long SECOND = 1_000_000_000;
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private record Stored(byte[] bytes, String tag, long at, long listedAt) {

    Instant modified() {
      return BEGIN.plusNanos(at);
    }
  }

  private final World world;
  private final Map<String, Stored> objects = new TreeMap<>();

  /** Makes an empty store. */
  public SimulatedStore(World world) {
    this.world = world;
  }

  @Override
  public String serviceName() {
    return "s3";
  }

  @Override
  public void close() {}

  /** Serves a request, which may be slow, fail, or have its reply lost. */
  private <T> T call(String what, Supplier<T> service) {
    Faults faults = world.faults();
    faults.step(what);
    if (faults.happens(Faults.Kind.STORE_ERROR)) {
      world.event("store", "fails: " + what);
      throw failure(503, "SlowDown");
    }
    T reply = service.get();
    if (faults.happens(Faults.Kind.LOST_REPLY)) {
      world.event("store", "reply lost: " + what);
      if (faults.random().nextBoolean()) {
        throw SdkClientException.create("Simulated: the reply was lost.");
      }
      // what the SDK does by itself
      reply = service.get();
    }
    faults.step("reply to " + what);
    return reply;
  }

  private static RuntimeException failure(int status, String code) {
    return S3Exception.builder()
        .awsErrorDetails(AwsErrorDetails.builder().errorCode(code).errorMessage(code).build())
        .message("Simulated: " + code)
        .statusCode(status)
        .build();
  }

  @Override
  public PutObjectResponse putObject(PutObjectRequest request, RequestBody body) {
    byte[] bytes;
    try {
      bytes = body.contentStreamProvider().newStream().readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return call("put " + request.key(), () -> put(request, bytes));
  }

  private PutObjectResponse put(PutObjectRequest request, byte[] bytes) {
    Stored known = objects.get(request.key());
    if (request.ifNoneMatch() != null && known != null) {
      throw failure(412, "PreconditionFailed");
    }
    if (request.ifMatch() != null
        && (known == null || !request.ifMatch().replace("\"", "").equals(known.tag))) {
      throw failure(known == null ? 404 : 412, "PreconditionFailed");
    }
    long now = world.scheduler().now();
    long late =
        world.faults().happens(Faults.Kind.LATE_LISTING)
            ? world.faults().random().nextLong(20 * SECOND)
            : 0;
    Stored stored = new Stored(bytes, md5(bytes), now, known == null ? now + late : known.listedAt);
    objects.put(request.key(), stored);
    return PutObjectResponse.builder().eTag('"' + stored.tag + '"').build();
  }

  private static String md5(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private Stored stored(String key) {
    Stored stored = objects.get(key);
    if (stored == null) {
      throw failure(404, "NoSuchKey");
    }
    return stored;
  }

  @Override
  public HeadObjectResponse headObject(HeadObjectRequest request) {
    return call(
        "head " + request.key(),
        () -> {
          Stored stored = stored(request.key());
          return HeadObjectResponse.builder()
              .contentLength((long) stored.bytes.length)
              .eTag('"' + stored.tag + '"')
              .lastModified(stored.modified())
              .build();
        });
  }

  @Override
  public ResponseInputStream<GetObjectResponse> getObject(GetObjectRequest request) {
    return call(
        "get " + request.key(),
        () -> {
          Stored stored = stored(request.key());
          String[] range = request.range().substring("bytes=".length()).split("-", -1);
          int from = Integer.parseInt(range[0]);
          int to = Math.min(Integer.parseInt(range[1]), stored.bytes.length - 1);
          if (from > to) {
            throw failure(416, "InvalidRange");
          }
          GetObjectResponse response =
              GetObjectResponse.builder()
                  .contentRange("bytes %d-%d/%d".formatted(from, to, stored.bytes.length))
                  .contentLength((long) to - from + 1)
                  .eTag('"' + stored.tag + '"')
                  .lastModified(stored.modified())
                  .build();
          return new ResponseInputStream<>(
              response,
              AbortableInputStream.create(
                  new ByteArrayInputStream(stored.bytes, from, to - from + 1)));
        });
  }

  @Override
  public DeleteObjectResponse deleteObject(DeleteObjectRequest request) {
    return call(
        "delete " + request.key(),
        () -> {
          objects.remove(request.key());
          return DeleteObjectResponse.builder().build();
        });
  }

  @Override
  public ListObjectsV2Response listObjectsV2(ListObjectsV2Request request) {
    return call(
        "list " + request.prefix(),
        () -> {
          List<S3Object> found = new ArrayList<>();
          objects.forEach(
              (key, stored) -> {
                if (key.startsWith(request.prefix())
                    && (stored.listedAt <= world.scheduler().now() || !world.faults().isActive())) {
                  found.add(
                      S3Object.builder()
                          .key(key)
                          .size((long) stored.bytes.length)
                          .eTag('"' + stored.tag + '"')
                          .lastModified(stored.modified())
                          .build());
                }
              });
          return ListObjectsV2Response.builder().contents(found).isTruncated(false).build();
        });
  }

  @Override
  public ListMultipartUploadsResponse listMultipartUploads(ListMultipartUploadsRequest request) {
    return call(
        "uploads " + request.prefix(),
        () -> ListMultipartUploadsResponse.builder().isTruncated(false).build());
  }
}
