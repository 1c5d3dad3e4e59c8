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
final class WrittenReferences {

    private WrittenReferences() {}

    /**
     * Reads them.
     *
     * @throws dev.isonomy.contract.Misuse a field makes no sense
     */
    static List<ToolReference> read(byte[] json) {
        List<ToolReference> references = new ArrayList<>();
        for (Object one : (List<?>) Portable.decode(json)) {
            Map<?, ?> fields = (Map<?, ?>) one;
            references.add(new ToolReference(
                    (String) fields.get("target"),
                    (String) fields.get("name"),
                    (String) fields.get("description"),
                    texts(fields.get("parameters"))));
        }
        return references;
    }

    private static List<String> texts(Object list) {
        return list == null
                ? null
                : ((List<?>) list).stream().map(String.class::cast).toList();
    }
}
