package io.deepvm.checkpoint.simulation;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiConsumer;

/**
 * Stands for a {@code ConcurrentHashMap}. It iterates in the order of insertion, since the order of
 * identity hashes differs from run to run, and over a copy, so that it may change meanwhile.
 */
public final class OrderedMap<K, V> extends LinkedHashMap<K, V> implements ConcurrentMap<K, V> {

  /** Makes an empty map. */
  public OrderedMap() {}

  /** Makes an empty map. */
  public OrderedMap(int capacity) {
    super(capacity);
  }

  /** A set that may change while it is iterated over. */
  static final class OrderedSet<T> extends LinkedHashSet<T> {
    @Override
    public java.util.Iterator<T> iterator() {
      java.util.List<T> copy = new java.util.ArrayList<>(size());
      java.util.Iterator<T> all = super.iterator();
      while (all.hasNext()) {
        copy.add(all.next());
      }
      return copy.iterator();
    }

    @Override
    public boolean removeIf(java.util.function.Predicate<? super T> rule) {
      boolean any = false;
      for (T each : this) {
        any |= rule.test(each) && remove(each);
      }
      return any;
    }
  }

  @Override
  public V getOrDefault(Object key, V other) {
    return super.getOrDefault(key, other);
  }

  @Override
  public void forEach(BiConsumer<? super K, ? super V> action) {
    for (Map.Entry<K, V> entry : java.util.List.copyOf(super.entrySet())) {
      action.accept(entry.getKey(), entry.getValue());
    }
  }

  @Override
  public Collection<V> values() {
    return super.values();
  }

  @Override
  public Set<K> keySet() {
    return super.keySet();
  }

  static <T> Set<T> copy(Collection<? extends T> all) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(all));
  }

  static <K, V> Map<K, V> copy(Map<? extends K, ? extends V> all) {
    return Collections.unmodifiableMap(new LinkedHashMap<>(all));
  }
}
