package io.deepvm.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.BadInput;
import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.Restored;
import io.deepvm.checkpoint.SharedClaim;
import io.deepvm.checkpoint.Slice;
import io.deepvm.checkpoint.format.DType;
import io.deepvm.checkpoint.format.TensorSpec;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.Tier;
import io.deepvm.checkpoint.tier.TierContract;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;

class S3TierTest extends TierContract {

  private static StoreServer server;
  private static final AtomicInteger FOLDERS = new AtomicInteger();

  @BeforeAll
  static void startServer() throws Exception {
    server = new StoreServer();
  }

  @AfterAll
  static void stopServer() throws Exception {
    server.stop();
  }

  @Override
  protected Tier open() {
    return StoreServer.tier(server.endpoint(), "run/" + FOLDERS.incrementAndGet());
  }

  @Test
  void aNameCannotLeaveThePrefix() {
    Tier tier = open();
    for (String job : new String[] {"../other", "a/b", "", "."}) {
      assertThatThrownBy(() -> tier.list(job)).isInstanceOf(BadInput.class);
      assertThatThrownBy(() -> tier.claim(job, SharedClaim.of(1))).isInstanceOf(BadInput.class);
    }
    for (String url :
        new String[] {"s3://bucket/../x", "s3://bucket//x", "http://bucket", "s3://"}) {
      assertThatThrownBy(() -> S3Location.parse(url, null, null)).isInstanceOf(BadInput.class);
    }
    assertThat(S3Location.parse("s3://bucket/a/b/", null, null).prefix()).isEqualTo("a/b");
    assertThat(S3Location.parse("s3://bucket", null, null).prefix()).isEmpty();
  }

  @Test
  void aStoreThatCannotBeUsedSaysWhyInOneSentence() throws Exception {
    S3Location there = StoreServer.location(server.endpoint(), "run");
    assertThatCode(() -> check(there, StoreServer.client(server.endpoint())))
        .doesNotThrowAnyException();
    S3Location other = new S3Location("other", "run", "us-east-1", server.endpoint(), true);
    assertThatThrownBy(() -> check(other, StoreServer.client(server.endpoint())))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("has no bucket 'other'.");
    AwsCredentialsProvider wrong =
        StaticCredentialsProvider.create(AwsBasicCredentials.create("user", "wrong"));
    assertThatThrownBy(() -> check(there, there.client(wrong)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("does not let these credentials use bucket 'checkpoints' (403");
    URI closed = URI.create("http://127.0.0.1:" + closedPort());
    S3Location away = StoreServer.location(closed, "run");
    assertThatThrownBy(() -> check(away, StoreServer.client(closed)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("cannot be reached: Connection refused.");
  }

  @Test
  void aStoreThatIgnoresConditionsOfWritesIsRefused() {
    S3Location there = StoreServer.location(server.endpoint(), "probed");
    S3Client client = StoreServer.client(server.endpoint());
    assertThatThrownBy(() -> check(there, ignoringConditions(client)))
        .isInstanceOf(BadInput.class)
        .hasMessageContaining("does not create an object for one writer only")
        .hasMessageContaining("'If-None-Match: *'");
    try (S3Client again = StoreServer.client(server.endpoint())) {
      assertThat(again.listObjectsV2(l -> l.bucket(StoreServer.BUCKET).prefix("probed")).contents())
          .isEmpty();
    }
  }

  /** Returns a client of a store that stores an object though there is one. */
  private static S3Client ignoringConditions(S3Client client) {
    return (S3Client)
        Proxy.newProxyInstance(
            S3TierTest.class.getClassLoader(),
            new Class<?>[] {S3Client.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("putObject")) {
                return method.invoke(client, arguments);
              }
              PutObjectRequest.Builder request = PutObjectRequest.builder();
              @SuppressWarnings("unchecked")
              Consumer<PutObjectRequest.Builder> asked =
                  (Consumer<PutObjectRequest.Builder>) arguments[0];
              asked.accept(request);
              return client.putObject(
                  request.ifNoneMatch(null).build(), (RequestBody) arguments[1]);
            });
  }

  @Test
  void aLostClaimIsMadeUpForByTheVersions() throws Exception {
    String prefix = "run/" + FOLDERS.incrementAndGet();
    S3Tier tier = StoreServer.tier(server.endpoint(), prefix);
    save(tier, new Version(JOB, 6, 1), bytes(1, 0, 100));
    try (S3Client client = StoreServer.client(server.endpoint())) {
      client.deleteObject(
          d ->
              d.bucket(StoreServer.BUCKET).key("%s/%s/generation-%018d".formatted(prefix, JOB, 6)));
    }
    assertThat(tier.generation(JOB)).isEqualTo(6);
    tier.close();
  }

  @Test
  void anAnswerFromAnotherRegionNamesTheRegion() {
    S3Location location = new S3Location("bucket", "", "us-east-1", null, false);
    AwsErrorDetails details =
        AwsErrorDetails.builder()
            .errorCode("PermanentRedirect")
            .sdkHttpResponse(
                SdkHttpResponse.builder().putHeader("x-amz-bucket-region", "eu-west-1").build())
            .build();
    BadInput said =
        new StoreTrouble(location)
            .of(
                (S3Exception)
                    S3Exception.builder().statusCode(301).awsErrorDetails(details).build());
    assertThat(said)
        .hasMessage("Bucket 'bucket' cannot be used through Amazon S3 (301 PermanentRedirect).");
    assertThat(said.wayOut()).contains("AWS_REGION=eu-west-1");
  }

  private static void check(S3Location location, S3Client client) {
    new S3Tier("s3", location, client, DataSize.parse("20MiB")).check(location);
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void aPartIsAsLargeAsTenThousandPartsNeed() {
    int usual = 5 << 20;
    assertThat(Upload.partBytes(1, usual)).isEqualTo(usual);
    assertThat(Upload.partBytes(10_000L * usual - 1, usual)).isEqualTo(usual);
    for (long bytes : new long[] {10_000L * usual, 10_000L * usual + 1, 5L << 40}) {
      long part = Upload.partBytes(bytes, usual);
      assertThat(part * 10_000).isGreaterThanOrEqualTo(bytes);
      assertThat(part).isLessThan(bytes / 10_000 + (2 << 20));
    }
  }

  @Test
  void bytesThatChangedInTheStoreAreNotRestored() throws Exception {
    String prefix = "run/" + FOLDERS.incrementAndGet();
    S3Tier tier = StoreServer.tier(server.endpoint(), prefix);
    Checkpoints checkpoints = new Checkpoints(List.of(tier), 2);
    TensorSpec weights = new TensorSpec("t0", DType.U8, List.of(600_000L));
    ByteBuffer target = ByteBuffer.allocateDirect(600_000);
    byte[] older = bytes(1, 0, 600_000);
    byte[] newer = bytes(2, 0, 600_000);
    save(tier, version(1), older);
    save(tier, version(2), newer);
    Restored whole =
        Objects.requireNonNull(
            checkpoints.restore(JOB, m -> List.of(Slice.whole(weights, target))));
    assertThat(whole.manifest().step()).isEqualTo(2);
    assertThat(target).isEqualTo(ByteBuffer.wrap(newer));
    newer[500_000]++;
    try (S3Client client = StoreServer.client(server.endpoint())) {
      String key = "%s/%s/%s/%s".formatted(prefix, JOB, version(2).folder(), name(0, 1));
      client.putObject(p -> p.bucket(StoreServer.BUCKET).key(key), RequestBody.fromBytes(newer));
    }
    Restored before =
        Objects.requireNonNull(
            checkpoints.restore(JOB, m -> List.of(Slice.whole(weights, target))));
    assertThat(before.manifest().step()).isEqualTo(1);
    assertThat(before.passedOver()).singleElement().asString().contains("not what was saved");
    assertThat(target).isEqualTo(ByteBuffer.wrap(older));
    tier.close();
  }
}
