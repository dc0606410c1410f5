package io.deepvm.checkpoint.s3;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ListPartsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.Part;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** The few requests that checkpoints need of a bucket; all trouble is an {@link IOException}. */
final class Bucket {

  private static final String BYTES = "application/octet-stream";
  private static final String NO_BUCKET = "NoSuchBucket";
  private static final int MOST_PAGES = 1_000;
  private static final int READ_ATTEMPTS = 5;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

  private final S3Client client;
  private final String name;

  Bucket(S3Client client, String name) {
    this.client = client;
    this.name = name;
  }

  /** An object or an upload that was begun; {@code tag} is the object's or the upload's id. */
  record Entry(String key, long bytes, String tag, Instant modified) {}

  /** Stores a whole object; it appears at once or not at all. */
  void put(String key, byte[] bytes) throws IOException {
    call(key, () -> client.putObject(request -> describe(request, key, bytes), body(bytes)));
  }

  /**
   * Stores a whole object unless there is one of this key.
   *
   * @return false when there is one, maybe that of an earlier attempt whose answer was lost
   */
  boolean putNew(String key, byte[] bytes) throws IOException {
    try {
      call(
          key,
          () ->
              client.putObject(
                  request ->
                      describe(request, key, bytes)
                          .ifNoneMatch("*")
                          // A refusal may leave the body unread, and with it a connection that the
                          // next request would find broken.
                          .overrideConfiguration(o -> o.putHeader("Connection", "close")),
                  body(bytes)));
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    } catch (IOException e) {
      // A store that refuses before it has read the body looks like one whose connection broke.
      if (exists(key)) {
        return false;
      }
      throw e;
    }
  }

  private PutObjectRequest.Builder describe(
      PutObjectRequest.Builder request, String key, byte[] bytes) {
    return request
        .bucket(name)
        .key(key)
        .contentLength((long) bytes.length)
        .contentMD5(Base64.getEncoder().encodeToString(md5(bytes)));
  }

  /** Lets each attempt read the array anew, without copying it. */
  private static RequestBody body(byte[] bytes) {
    return RequestBody.fromContentProvider(
        () -> new ByteArrayInputStream(bytes), bytes.length, BYTES);
  }

  /** Returns an object of at most this many bytes. */
  byte[] get(String key, int most) throws IOException {
    Entry object = head(key);
    if (object == null) {
      throw new NoSuchFileException(key);
    }
    long size = object.bytes();
    if (size > most) {
      throw new IOException("%s has %d bytes, more than %d.".formatted(key, size, most));
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) size);
    read(key, 0, bytes);
    return bytes.array();
  }

  /** Fills the buffer, going on after a broken connection from where it broke. */
  void read(String key, long position, ByteBuffer into) throws IOException {
    int begin = into.position();
    for (int attempt = 1; into.hasRemaining(); attempt++) {
      long from = position + into.position() - begin;
      String range = "bytes=%d-%d".formatted(from, from + into.remaining() - 1);
      try {
        read(key, from, range, into);
      } catch (NoSuchFileException | AccessRefused e) {
        throw e;
      } catch (IOException e) {
        if (attempt == READ_ATTEMPTS) {
          throw new IOException("%s of %s: %s".formatted(range, key, e.getMessage()), e);
        }
        pause(attempt);
      }
    }
  }

  private void read(String key, long from, String range, ByteBuffer into) throws IOException {
    ResponseInputStream<GetObjectResponse> body =
        call(key, () -> client.getObject(g -> g.bucket(name).key(key).range(range)));
    try {
      fill(key, from, body, into);
      body.close();
    } catch (SdkException e) {
      body.abort();
      throw new IOException(e.getMessage(), e);
    } catch (IOException e) {
      // closing would read the rest first
      body.abort();
      throw e;
    }
  }

  private static void fill(
      String key, long from, ResponseInputStream<GetObjectResponse> body, ByteBuffer into)
      throws IOException {
    String given = body.response().contentRange();
    if (given == null || !given.startsWith("bytes %d-".formatted(from))) {
      throw new IOException("%s came with the range %s.".formatted(key, given));
    }
    byte[] piece = new byte[Math.min(into.remaining(), 1 << 16)];
    while (into.hasRemaining()) {
      int read = body.read(piece, 0, Math.min(piece.length, into.remaining()));
      if (read < 0) {
        throw new EOFException("it ended %d bytes early.".formatted(into.remaining()));
      }
      into.put(piece, 0, read);
    }
  }

  private static void pause(int attempt) throws IOException {
    try {
      Thread.sleep(FIRST_PAUSE.multipliedBy(1L << (attempt - 1)).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted.", e);
    }
  }

  boolean exists(String key) throws IOException {
    return head(key) != null;
  }

  /** Returns size and tag of an object, or null when there is none. */
  @Nullable Entry head(String key) throws IOException {
    for (int attempt = 1; attempt <= READ_ATTEMPTS; attempt++) {
      try {
        HeadObjectResponse head = call(key, () -> client.headObject(h -> h.bucket(name).key(key)));
        // an answer that broke off lacks what should come last
        if (head.contentLength() != null && head.eTag() != null && head.lastModified() != null) {
          return new Entry(key, head.contentLength(), bare(head.eTag()), head.lastModified());
        }
      } catch (NoSuchFileException e) {
        return null;
      }
      pause(attempt);
    }
    throw new IOException("The store says too little of %s.".formatted(key));
  }

  void delete(String key) throws IOException {
    call(key, () -> client.deleteObject(d -> d.bucket(name).key(key)));
  }

  /** Returns all objects whose key begins so. */
  List<Entry> list(String prefix) throws IOException {
    List<Entry> entries = new ArrayList<>();
    String token = null;
    for (int page = 0; page < MOST_PAGES; page++) {
      String from = token;
      ListObjectsV2Response answer =
          call(
              prefix,
              () ->
                  client.listObjectsV2(l -> l.bucket(name).prefix(prefix).continuationToken(from)));
      for (S3Object object : answer.contents()) {
        entries.add(
            new Entry(object.key(), object.size(), bare(object.eTag()), object.lastModified()));
      }
      token = answer.nextContinuationToken();
      if (!Boolean.TRUE.equals(answer.isTruncated()) || token == null) {
        return entries;
      }
    }
    throw tooMany(prefix);
  }

  /** Returns all uploads to keys that begin so, which were begun and neither ended nor aborted. */
  List<Entry> uploads(String prefix) throws IOException {
    List<Entry> entries = new ArrayList<>();
    String key = null;
    String id = null;
    for (int page = 0; page < MOST_PAGES; page++) {
      String fromKey = key;
      String fromId = id;
      ListMultipartUploadsResponse answer =
          call(
              prefix,
              () ->
                  client.listMultipartUploads(
                      l ->
                          l.bucket(name).prefix(prefix).keyMarker(fromKey).uploadIdMarker(fromId)));
      for (MultipartUpload upload : answer.uploads()) {
        if (upload.key().startsWith(prefix)) {
          entries.add(new Entry(upload.key(), 0, upload.uploadId(), upload.initiated()));
        }
      }
      key = answer.nextKeyMarker();
      id = answer.nextUploadIdMarker();
      if (!Boolean.TRUE.equals(answer.isTruncated()) || key == null) {
        return entries;
      }
    }
    throw tooMany(prefix);
  }

  private static IOException tooMany(String prefix) {
    return new IOException("There are too many objects under '%s'.".formatted(prefix));
  }

  String beginUpload(String key) throws IOException {
    return call(key, () -> client.createMultipartUpload(c -> c.bucket(name).key(key))).uploadId();
  }

  /** Returns the tags of the parts that the store has of an upload, by number. */
  Map<Integer, String> parts(String key, String upload) throws IOException {
    Map<Integer, String> tags = new HashMap<>();
    Integer marker = null;
    for (int page = 0; page < MOST_PAGES; page++) {
      Integer from = marker;
      ListPartsResponse answer =
          call(
              key,
              () ->
                  client.listParts(
                      l -> l.bucket(name).key(key).uploadId(upload).partNumberMarker(from)));
      for (Part part : answer.parts()) {
        tags.put(part.partNumber(), bare(part.eTag()));
      }
      marker = answer.nextPartNumberMarker();
      if (!Boolean.TRUE.equals(answer.isTruncated()) || marker == null) {
        return tags;
      }
    }
    throw tooMany(key);
  }

  /** Brings one part and returns its tag. */
  String putPart(String key, String upload, int number, byte[] bytes, byte[] md5)
      throws IOException {
    return bare(
        call(
                key,
                () ->
                    client.uploadPart(
                        request ->
                            request
                                .bucket(name)
                                .key(key)
                                .uploadId(upload)
                                .partNumber(number)
                                .contentLength((long) bytes.length)
                                .contentMD5(Base64.getEncoder().encodeToString(md5)),
                        body(bytes)))
            .eTag());
  }

  /** Makes an object of the parts, in the order of their numbers, the first being 1. */
  void endUpload(String key, String upload, List<String> tags) throws IOException {
    List<CompletedPart> parts = new ArrayList<>();
    for (String tag : tags) {
      parts.add(CompletedPart.builder().partNumber(parts.size() + 1).eTag(tag).build());
    }
    call(
        key,
        () ->
            client.completeMultipartUpload(
                c ->
                    c.bucket(name).key(key).uploadId(upload).multipartUpload(m -> m.parts(parts))));
  }

  void abortUpload(String key, String upload) throws IOException {
    try {
      call(key, () -> client.abortMultipartUpload(a -> a.bucket(name).key(key).uploadId(upload)));
    } catch (NoSuchFileException e) {
      // it has ended meanwhile
    }
  }

  static byte[] md5(byte[] bytes) {
    try {
      return MessageDigest.getInstance("MD5").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java has MD5.", e);
    }
  }

  private static String bare(@Nullable String tag) {
    return tag == null ? "" : tag.replace("\"", "");
  }

  private static <T> T call(String key, Supplier<T> request) throws IOException {
    try {
      return request.get();
    } catch (S3Exception e) {
      if (e.statusCode() == 404 && !NO_BUCKET.equals(e.awsErrorDetails().errorCode())) {
        NoSuchFileException missing = new NoSuchFileException(key);
        missing.initCause(e);
        throw missing;
      }
      if (e.statusCode() == 412) {
        FileAlreadyExistsException exists = new FileAlreadyExistsException(key);
        exists.initCause(e);
        throw exists;
      }
      if (e.statusCode() == 403) {
        throw new AccessRefused(key, e);
      }
      throw new IOException("%s: %s".formatted(key, e.getMessage()), e);
    } catch (SdkException e) {
      throw new IOException("%s: %s".formatted(key, e.getMessage()), e);
    }
  }
}
