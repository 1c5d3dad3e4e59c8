// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The requests of a connection that have not ended, by their ids. Safe for use by several threads. */
final class Waiting {

    private final Map<Long, Pending> all = new ConcurrentHashMap<>();
    private volatile Subscription subscription;

    void add(Pending pending) {
        all.put(pending.number, pending);
    }

    void remove(Pending pending) {
        all.remove(pending.number);
    }

    /** Keeps the request to be told of changes, which is waited for by nobody, in place of an earlier one. */
    void keep(Subscription asked) {
        subscription = asked;
    }

    /** The request to be told of changes, null where there is none. */
    Subscription subscription() {
        return subscription;
    }

    /** Whether nobody waits. */
    boolean isEmpty() {
        return all.isEmpty();
    }

    /** The request of an id, null where there is none; some servers give a number back as text. */
    Pending find(Object id) {
        Long number = id instanceof Long told ? told : null;
        if (id instanceof String text && text.matches("[0-9]{1,18}")) {
            number = Long.valueOf(text);
        }
        if (number == null) {
            return null;
        }
        Subscription asked = subscription;
        return asked != null && asked.number == number ? asked : all.get(number);
    }

    /** Those that a message of this id may be meant for: all where the id cannot be told. */
    Collection<Pending> meant(Long number) {
        if (number == null) {
            return all.values();
        }
        Pending pending = find(number);
        return pending == null ? List.of() : List.of(pending);
    }

    /** Ends all. */
    void end(Ended how) {
        all.values().forEach(pending -> pending.end(how));
        Subscription asked = subscription;
        if (asked != null) {
            asked.end(how);
        }
    }
}
