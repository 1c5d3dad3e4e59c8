// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge;

import dev.isonomy.contract.Portable;
import dev.isonomy.tools.ToolReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How a host names tools: a JSON list of objects with {@code target}, and, where they are set, {@code name}, {@code
 * description} and {@code parameters}, as the fields of {@link ToolReference}.
 */
public final class WrittenReferences {

    private WrittenReferences() {}

    /**
     * Reads them.
     *
     * @throws dev.isonomy.contract.Misuse a field makes no sense
     */
    static List<ToolReference> read(byte[] json) {
        List<ToolReference> references = new ArrayList<>();
        for (Object one : (List<?>) Portable.decode(json)) {
            references.add(of((Map<?, ?>) one));
        }
        return references;
    }

    /**
     * The reference that one text is: a class or a method, or the JSON of an object with these fields (clause W3.6).
     *
     * @throws dev.isonomy.contract.Misuse it is none
     */
    public static ToolReference ofText(String text) {
        return text.startsWith("{") ? of((Map<?, ?>) Portable.decode(text)) : ToolReference.to(text);
    }

    /**
     * The reference with these fields.
     *
     * @throws dev.isonomy.contract.Misuse a field makes no sense
     */
    public static ToolReference of(Map<?, ?> fields) {
        return new ToolReference(
                (String) fields.get("target"),
                (String) fields.get("name"),
                (String) fields.get("description"),
                texts(fields.get("parameters")));
    }

    private static List<String> texts(Object list) {
        return list == null
                ? null
                : ((List<?>) list).stream().map(String.class::cast).toList();
    }
}
