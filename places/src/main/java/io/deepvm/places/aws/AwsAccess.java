package io.deepvm.places.aws;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the requests of a run go. Credentials are no part of it: they come from the environment at
 * each request.
 *
 * @param endpoints addresses by service ("ec2", "sts", "ssm", "servicequotas"), in place of those
 *     of AWS
 * @param profile a profile of the user's AWS configuration; null for the default
 * @param account the number of the account that the run's machines are in; null if nobody noted it
 */
public record AwsAccess(
    String region,
    Map<String, String> endpoints,
    @Nullable String profile,
    @Nullable String account) {
  public AwsAccess {
    endpoints = Map.copyOf(endpoints);
  }

  /** Returns the same access, bound to an account. */
  public AwsAccess in(String number) {
    return new AwsAccess(region, endpoints, profile, number);
  }

  /** Returns the address of a service. */
  String endpoint(String service) {
    String other = endpoints.get(service);
    String domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    return other == null ? "https://%s.%s.%s/".formatted(service, region, domain) : other;
  }
}
