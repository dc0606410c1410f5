package io.deepvm.places.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.deepvm.catalog.Market;
import io.deepvm.places.Order;
import io.deepvm.places.aws.fake.FakeServer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.ec2.Ec2Client;
import software.amazon.awssdk.services.ec2.model.Ec2Exception;
import software.amazon.awssdk.services.ec2.model.Filter;
import software.amazon.awssdk.services.ec2.model.Instance;
import software.amazon.awssdk.services.ec2.model.InstanceInterruptionBehavior;
import software.amazon.awssdk.services.ec2.model.InstanceMetadataEndpointState;
import software.amazon.awssdk.services.ec2.model.MarketType;
import software.amazon.awssdk.services.ec2.model.ResourceType;
import software.amazon.awssdk.services.ec2.model.RunInstancesRequest;
import software.amazon.awssdk.services.ec2.model.RunInstancesResponse;
import software.amazon.awssdk.services.ec2.model.ShutdownBehavior;
import software.amazon.awssdk.services.ec2.model.SpotInstanceType;
import software.amazon.awssdk.services.ec2.model.Tag;
import software.amazon.awssdk.services.ec2.model.TagSpecification;

/** AWS's own client is the judge of our requests and of the answers of our fake. */
class SdkOracleIT {

  private final AwsScene scene = new AwsScene(4, 100_000_000, 0);
  private FakeServer server;
  private Ec2Client sdk;
  private Ec2 ours;

  @BeforeEach
  void start() throws Exception {
    server = FakeServer.start(scene.ec2);
    StaticCredentialsProvider keys =
        StaticCredentialsProvider.create(
            AwsBasicCredentials.create(FakeServer.ACCESS_KEY, FakeServer.SECRET_KEY));
    sdk =
        Ec2Client.builder()
            .endpointOverride(server.address())
            .region(Region.US_EAST_1)
            .credentialsProvider(keys)
            .httpClient(UrlConnectionHttpClient.create())
            .overrideConfiguration(o -> o.retryStrategy(RetryMode.STANDARD))
            .build();
    ours = new Ec2(wire(keys));
  }

  private AwsWire wire(StaticCredentialsProvider keys) {
    AwsAccess access = new AwsAccess("us-east-1", endpoints(), null, null);
    return SignedWire.of(access, keys, Clock.systemUTC());
  }

  private Map<String, String> endpoints() {
    String address = server.address().toString();
    return Map.of("ec2", address, "ssm", address, "servicequotas", address);
  }

  @AfterEach
  void stop() {
    sdk.close();
    server.close();
  }

  private Map<String, String> request(Order order) throws Exception {
    String group = ours.createGroup("deepvm-test", Requests.tags(scene.settings));
    ours.open(group, "203.0.113.7/32");
    return Requests.one(scene.settings, order, group, "#cloud-config\n{\"a\": \"ä+ b\"}\n");
  }

  private static RunInstancesRequest asSdk(Map<String, String> form) {
    return RunInstancesRequest.builder()
        .clientToken(form.get("ClientToken"))
        .minCount(1)
        .maxCount(1)
        .imageId(form.get("ImageId"))
        .instanceType(form.get("InstanceType"))
        .placement(p -> p.availabilityZoneId(form.get("Placement.AvailabilityZoneId")))
        .instanceInitiatedShutdownBehavior(ShutdownBehavior.TERMINATE)
        .metadataOptions(
            m ->
                m.httpTokens("required")
                    .httpEndpoint(InstanceMetadataEndpointState.ENABLED)
                    .httpPutResponseHopLimit(2))
        .securityGroupIds(form.get("SecurityGroupId.1"))
        .userData(form.get("UserData"))
        .instanceMarketOptions(
            m ->
                m.marketType(MarketType.SPOT)
                    .spotOptions(
                        s ->
                            s.spotInstanceType(SpotInstanceType.ONE_TIME)
                                .instanceInterruptionBehavior(
                                    InstanceInterruptionBehavior.TERMINATE)
                                .maxPrice(form.get("InstanceMarketOptions.SpotOptions.MaxPrice"))))
        .tagSpecifications(tags(form, 1, ResourceType.INSTANCE), tags(form, 2, ResourceType.VOLUME))
        .build();
  }

  private static TagSpecification tags(Map<String, String> form, int number, ResourceType kind) {
    List<Tag> tags = new ArrayList<>();
    String prefix = "TagSpecification.%d.Tag.".formatted(number);
    for (int i = 1; form.containsKey(prefix + i + ".Key"); i++) {
      String key = form.get(prefix + i + ".Key");
      String value = form.get(prefix + i + ".Value");
      tags.add(Tag.builder().key(key).value(value).build());
    }
    return TagSpecification.builder().resourceType(kind).tags(tags).build();
  }

  @Test
  void theSdkSendsTheSameParametersForTheSameInstance() throws Exception {
    Map<String, String> form = request(AwsScene.order("n1", 0, Market.SPOT));
    String id = ours.run(form).id();
    Map<String, String> sent = new TreeMap<>(last("RunInstances"));
    RunInstancesResponse theirs = sdk.runInstances(asSdk(form));
    // The fake takes the token of ours only with the same parameters, to the last one.
    assertThat(theirs.instances()).extracting(Instance::instanceId).containsExactly(id);
    assertThat(new TreeMap<>(last("RunInstances"))).isEqualTo(sent);
  }

  private Map<String, String> last(String action) {
    return scene.ec2.calls().stream()
        .filter(call -> action.equals(call.get("Action")))
        .reduce((one, other) -> other)
        .orElseThrow();
  }

  @Test
  void theSdkReadsEveryAnswerOfTheFakeAsWeDo() throws Exception {
    Map<String, String> form = request(AwsScene.order("n1", 0, Market.SPOT));
    String id = ours.run(form).id();
    scene.pass(Duration.ofSeconds(30));
    Instance seen =
        sdk.describeInstances(
                r -> r.filters(Filter.builder().name("instance-id").values(id).build()))
            .reservations()
            .get(0)
            .instances()
            .get(0);
    io.deepvm.places.aws.Instance own = ours.describe(List.of(id)).get(0);
    assertThat(own.state()).isEqualTo(seen.state().nameAsString()).isEqualTo("running");
    assertThat(own.address()).isEqualTo(seen.publicIpAddress());
    assertThat(own.privateAddress()).isEqualTo(seen.privateIpAddress());
    assertThat(own.zoneId()).isEqualTo(seen.placement().availabilityZoneId());
    assertThat(own.launchMs()).isEqualTo(seen.launchTime().toEpochMilli());
    assertThat(own.tags()).hasSize(seen.tags().size()).containsKey(Requests.RUN);
    ours.terminate(id);
    scene.pass(Duration.ofSeconds(30));
    Instance ended = sdk.describeInstances().reservations().get(0).instances().get(0);
    io.deepvm.places.aws.Instance over = ours.describe(List.of(id)).get(0);
    assertThat(over.isTerminated()).isTrue();
    assertThat(ended.stateReason().code()).isEqualTo(over.reason());
    assertThat(sdk.terminateInstances(r -> r.instanceIds(id)).terminatingInstances()).hasSize(1);
    assertThat(
            sdk.describeSpotPriceHistory(
                    r ->
                        r.availabilityZone("us-east-1c")
                            .instanceTypesWithStrings(AwsScene.TYPE)
                            .startTime(scene.time.instant())
                            .filters(
                                Filter.builder()
                                    .name("availability-zone-id")
                                    .values("use1-az1")
                                    .build()))
                .spotPriceHistory()
                .get(0)
                .spotPrice())
        .isEqualTo("0.157800");
    assertThat(sdk.describeAvailabilityZones().availabilityZones())
        .hasSameSizeAs(ours.zones().keySet());
    assertThat(
            sdk.describeInstanceTypes(r -> r.instanceTypesWithStrings(AwsScene.TYPE))
                .instanceTypes()
                .get(0)
                .vCpuInfo()
                .defaultVCpus())
        .isEqualTo(ours.cores(List.of(AwsScene.TYPE)).get(AwsScene.TYPE));
    String group = sdk.describeSecurityGroups().securityGroups().get(0).groupId();
    assertThat(ours.groupNamed("deepvm-test")).isEqualTo(group);
    ours.deleteGroup(group);
    assertThat(sdk.describeSecurityGroups().securityGroups()).isEmpty();
    assertThat(ours.parameter("/any/ami-id")).isEqualTo("ami-0fake");
    assertThat(ours.quota("L-3819A6DF")).isEqualTo(10_000);
  }

  @Test
  void theSdkReadsTheFakesErrorsAndASignatureThatIsWrongIsRefused() throws Exception {
    Map<String, String> form = request(AwsScene.order("n1", 0, Market.SPOT));
    scene.market.capacity("use1-az1", AwsScene.TYPE, 0);
    assertThatThrownBy(() -> sdk.runInstances(asSdk(form)))
        .isInstanceOfSatisfying(
            Ec2Exception.class,
            e -> {
              assertThat(e.awsErrorDetails().errorCode()).isEqualTo("InsufficientInstanceCapacity");
              assertThat(e.statusCode()).isEqualTo(500);
            });
    long before = scene.ec2.calls().size();
    assertThatThrownBy(() -> ours.run(form)).isInstanceOf(Ec2Failure.class);
    // Unlike the SDK, a lack of capacity is not asked about again behind the caller's back.
    assertThat(scene.ec2.calls()).hasSize((int) before + 1);
    Ec2 strange =
        new Ec2(
            wire(
                StaticCredentialsProvider.create(
                    AwsBasicCredentials.create(FakeServer.ACCESS_KEY, "another"))));
    assertThatThrownBy(strange::zones)
        .isInstanceOfSatisfying(Ec2Failure.class, e -> assertThat(Refusals.isDenied(e)).isTrue());
  }
}
