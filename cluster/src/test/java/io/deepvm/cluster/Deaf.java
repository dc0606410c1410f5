package io.deepvm.cluster;

import java.io.IOException;

/**
 * A provider that loses sight of its nodes: it neither takes them away nor tells that they went.
 */
record Deaf(Provider provider) implements Provider {

  @Override
  public String coordinatorHost() {
    return provider.coordinatorHost();
  }

  @Override
  public int limit() {
    return 1000;
  }

  @Override
  public void open(RunFolder folder) throws IOException {
    provider.open(folder);
  }

  @Override
  public String rent(NodeRequest request, Runnable gone) throws IOException {
    return provider.rent(request, () -> {});
  }

  @Override
  public boolean adopt(String node, String handle, Runnable gone) throws IOException {
    return provider.adopt(node, handle, () -> {});
  }

  @Override
  public boolean alive(String node) {
    return true;
  }

  @Override
  public void end(String node) {}

  @Override
  public void close() {
    provider.close();
  }
}
