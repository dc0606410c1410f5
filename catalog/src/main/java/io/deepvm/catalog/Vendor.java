package io.deepvm.catalog;

/** The maker of a GPU. It decides which software trains on the GPU: CUDA or ROCm. */
public enum Vendor {
  NVIDIA,
  AMD
}
