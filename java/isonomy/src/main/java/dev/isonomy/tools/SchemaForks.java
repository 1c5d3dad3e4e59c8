// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whether the ways through a schema multiply with the depth of a value, as where it comes back to itself below two of
 * its alternatives. A judge that remembers what it judged goes each way once; compiled checks must not be asked.
 */
final class SchemaForks {

    /** Ways through a schema that comes back nowhere twice, which checks without a memory may take. */
    private static final long MAX_WAYS = 100_000;

    /** How many ways there are through a schema, and whether one comes back. */
    private record Ways(long count, boolean back) {}

    private static final Ways ONE = new Ways(1, false);
    private static final Ways BACK = new Ways(1, true);

    private final SchemaTree tree;
    private final Map<Object, Ways> known = new IdentityHashMap<>();

    private SchemaForks(SchemaTree tree) {
        this.tree = tree;
    }

    /** Whether the ways through a schema multiply. */
    static boolean multiply(SchemaTree tree) {
        return new SchemaForks(tree).look(tree.root()).count > MAX_WAYS;
    }

    private Ways look(Object part) {
        if (!(part instanceof Map<?, ?> schema)) {
            return ONE;
        }
        Ways seen = known.putIfAbsent(schema, BACK); // what it is while it is looked at
        if (seen != null) {
            return seen;
        }
        long count = 1;
        int back = 0;
        List<Object> here = new ArrayList<>(tree.targets(schema));
        here.addAll(SchemaTree.list(schema, "allOf"));
        here.addAll(SchemaTree.list(schema, "anyOf"));
        for (Object inner : here) {
            Ways ways = look(inner);
            count += ways.count;
            back += ways.back ? 1 : 0;
        }
        boolean below = false; // of these one judges each part of a value
        List<Object> members = new ArrayList<>(SchemaTree.object(schema, "properties").values());
        members.add(schema.get("additionalProperties"));
        members.add(schema.get("items"));
        for (Object inner : members) {
            Ways ways = look(inner);
            count += ways.count;
            below |= ways.back;
        }
        back += below ? 1 : 0;
        Ways made = new Ways(back > 1 ? MAX_WAYS + 1 : Math.min(count, MAX_WAYS + 1), back > 0);
        known.put(schema, made);
        return made;
    }
}
