package io.deepvm.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.base.DataSize;
import io.deepvm.checkpoint.Checkpoints;
import io.deepvm.checkpoint.format.Claim;
import io.deepvm.checkpoint.format.Version;
import io.deepvm.checkpoint.tier.StaleGeneration;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

class S3LateListingTest {

  private static final String FOLDER = "run/job/step-000000000001-g000001/";

  @Test
  void aVersionWhoseManifestIsListedLateIsNotCleanedUp() throws Exception {
    StoreServer server = new StoreServer();
    try (S3Client client = StoreServer.client(server.endpoint())) {
      put(client, FOLDER + "shard-00000-of-00001.safetensors");
      put(client, FOLDER + "manifest.json");
      S3Tier tier = tier(server, without("manifest.json", client));
      assertThat(new Checkpoints(List.of(tier), 1).gc("job").deleted()).isEmpty();
      assertThat(client.listObjectsV2(l -> l.bucket(StoreServer.BUCKET).prefix(FOLDER)).contents())
          .extracting(S3Object::key)
          .contains(FOLDER + "manifest.json", FOLDER + "shard-00000-of-00001.safetensors");
    } finally {
      server.stop();
    }
  }

  @Test
  void aGenerationThatIsListedLateIsNotClaimedTwice() throws Exception {
    StoreServer server = new StoreServer();
    try (S3Client client = StoreServer.client(server.endpoint())) {
      S3Tier first = tier(server, client);
      first.claim("job", Claim.of(1));
      first.claim("job", Claim.of(2));
      S3Tier late = tier(server, without("generation-", client));
      assertThatThrownBy(() -> late.claim("job", Claim.of(1))).isInstanceOf(StaleGeneration.class);
    } finally {
      server.stop();
    }
  }

  /** Seeds 8925 and 9866: a session that was taken over reported a save that another deletes. */
  @Test
  void aClaimThatIsListedLateEndsTheOneBefore() throws Exception {
    StoreServer server = new StoreServer();
    try (S3Client client = StoreServer.client(server.endpoint())) {
      Claim claim = Claim.of(1);
      S3Tier late = tier(server, without("generation-", client));
      late.claim("job", claim);
      tier(server, client).claim("job", Claim.of(2));
      assertThatThrownBy(() -> late.delete(new Version("job", 1, 1), claim))
          .isInstanceOf(StaleGeneration.class);
    } finally {
      server.stop();
    }
  }

  /** A server that refuses a request early closes the connection, and the client sees only that. */
  @Test
  void aRefusalThatLooksLikeABrokenConnectionIsARefusal() throws Exception {
    StoreServer server = new StoreServer();
    try (S3Client client = StoreServer.client(server.endpoint())) {
      tier(server, client).claim("job", Claim.of(1));
      S3Tier late = tier(server, breaking(without("generation-", client)));
      assertThatThrownBy(() -> late.claim("job", Claim.of(1))).isInstanceOf(StaleGeneration.class);
    } finally {
      server.stop();
    }
  }

  /** Returns a client whose connection breaks while it stores an object. */
  private static S3Client breaking(S3Client client) {
    return (S3Client)
        Proxy.newProxyInstance(
            S3LateListingTest.class.getClassLoader(),
            new Class<?>[] {S3Client.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("putObject")) {
                throw SdkClientException.create("Error writing request body to server");
              }
              try {
                return method.invoke(client, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static S3Tier tier(StoreServer server, S3Client client) {
    return new S3Tier(
        "s3", StoreServer.location(server.endpoint(), "run"), client, DataSize.parse("20MiB"));
  }

  private static void put(S3Client client, String key) {
    client.putObject(
        p -> p.bucket(StoreServer.BUCKET).key(key), RequestBody.fromString("some bytes"));
  }

  /** Returns a client that does not list objects whose keys contain a text. */
  private static S3Client without(String text, S3Client client) {
    return (S3Client)
        Proxy.newProxyInstance(
            S3LateListingTest.class.getClassLoader(),
            new Class<?>[] {S3Client.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(client, arguments);
                return answer instanceof ListObjectsV2Response list ? without(text, list) : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static ListObjectsV2Response without(String text, ListObjectsV2Response list) {
    return list.toBuilder()
        .contents(list.contents().stream().filter(each -> !each.key().contains(text)).toList())
        .build();
  }
}
