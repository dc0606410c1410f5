package io.deepvm.workload.averaging;

import io.deepvm.catalog.Place;
import io.deepvm.units.Money;

/** What flows from one place to another in an hour, and what the sender pays for it. */
public record Route(Place from, Place to, double gbPerHour, Money perGb, Money perHour) {}
