package io.deepvm.trainer.member;

import io.deepvm.transport.Security;
import io.deepvm.transport.Token;

/** What members do, over TLS with certificates that each makes for itself. */
class EncryptedPeersIT extends PeersIT {

  @Override
  Security security() {
    return Security.of(Token.of("a secret of the tests alone")).encrypted();
  }
}
