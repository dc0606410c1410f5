package io.deepvm.places.aws.box;

/** The plan of the story: four spot workers, and an anchor on demand that trains as well. */
final class BoxPlan {

  private BoxPlan() {}

  static String text() {
    return """
    {"schema": "deepvm/plans/v1", "plans": [{"rank": 1, "architecture": "single-anchor", "run": {
      "workers": [
        {"cloud": "aws", "region": "us-east-1", "zone": "use1-az1",
         "instanceType": "g4dn.xlarge", "market": "spot", "count": 4,
         "usdPerHour": 0.16, "onDemandUsdPerHour": 0.526},
        {"cloud": "aws", "region": "us-east-1", "zone": "use1-az1",
         "instanceType": "g4dn.2xlarge", "market": "on-demand", "count": 1, "anchor": true,
         "usdPerHour": 0.752}],
      "anchors": 0, "anchorsUsdPerHour": 0, "speeds": [0.2, 0.4, 0.6, 0.8, 1],
      "checkpoint": {"bytes": 1000000, "stallSeconds": 0, "shipSeconds": 1,
        "restoreSeconds": 1, "intervalSeconds": 60}}}]}
    """;
  }
}
