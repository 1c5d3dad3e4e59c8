// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** References inside a schema (clause 7.3). */
final class SchemaPointer {

    private SchemaPointer() {}

    /**
     * What a reference names, or null.
     *
     * @param resource the schema that it stands in, the nearest with an {@code $id}
     */
    static Object find(
            String reference, Map<?, ?> resource, Map<String, Map<?, ?>> identified, Map<String, Object> anchored) {
        int hash = reference.indexOf('#');
        String base = hash < 0 ? reference : reference.substring(0, hash);
        String fragment = hash < 0 ? "" : reference.substring(hash + 1);
        Map<?, ?> start = base.isEmpty() ? resource : identified.get(base);
        if (start == null) {
            return null;
        }
        return fragment.isEmpty() || fragment.startsWith("/")
                ? follow(start, unquoted(fragment))
                : anchored.get(fragment);
    }

    private static Object follow(Object start, String pointer) {
        Object at = start;
        String[] steps = pointer.split("/", -1);
        for (int i = 1; i < steps.length; i++) {
            String name = steps[i].replace("~1", "/").replace("~0", "~");
            if (at instanceof Map<?, ?> map) {
                at = map.get(name);
            } else if (at instanceof List<?> list && name.matches("0|[1-9][0-9]{0,8}")) {
                int index = Integer.parseInt(name);
                at = index < list.size() ? list.get(index) : null;
            } else {
                return null;
            }
        }
        return at;
    }

    /** Percent signs that are no escapes stand for themselves. */
    private static String unquoted(String fragment) {
        String strict = fragment.replace("+", "%2B").replaceAll("%(?![0-9A-Fa-f]{2})", "%25");
        return URLDecoder.decode(strict, StandardCharsets.UTF_8);
    }
}
