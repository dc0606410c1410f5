package io.deepvm.places.aws;

import java.io.IOException;
import java.util.Map;

/** Brings requests to AWS and their answers back; each call blocks. */
public interface AwsWire {

  /** An answer of HTTP. */
  record Reply(int status, String body) {}

  /**
   * Sends a request of a Query API.
   *
   * @param service the name that is signed, like "ec2"
   */
  Reply query(String service, Map<String, String> form) throws IOException;

  /**
   * Sends a request of a JSON service.
   *
   * @param service the name that is signed, like "ssm"
   * @param target the operation, like "AmazonSSM.GetParameter"
   */
  Reply json(String service, String target, String body) throws IOException;
}
