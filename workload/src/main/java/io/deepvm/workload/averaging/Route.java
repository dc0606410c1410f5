package io.deepvm.workload.averaging;

import io.deepvm.base.Money;
import io.deepvm.catalog.Place;

/** What flows from one place to another in an hour, and what the sender pays for it. */
public record Route(Place from, Place to, double gbPerHour, Money perGb, Money perHour) {}
