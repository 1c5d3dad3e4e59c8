// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Errors as the fields of clause 4.1; values of details stay as they are. */
final class ErrorWire {
    private ErrorWire() {}

    static Map<String, Object> fields(Cause cause) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", cause.type());
        fields.put("message", cause.message());
        fields.put("language", cause.language());
        return fields;
    }

    static Map<String, Object> fields(ToolError error) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", error.kind().wire());
        fields.put("message", error.message());
        fields.put("effect", error.effect().wire());
        fields.put("language", error.language());
        putSet(fields, "type", error.type());
        putSet(fields, "code", error.code());
        putSet(fields, "retryable", error.retryable());
        putSet(fields, "retry_after_ms", error.retryAfterMs());
        putSet(fields, "details", error.details());
        putSet(fields, "causes", error.causes().isEmpty() ? null : links(error.causes()));
        putSet(fields, "trace", error.trace());
        return fields;
    }

    private static List<Object> links(List<Cause> causes) {
        List<Object> links = new ArrayList<>(causes.size());
        for (Cause cause : causes) {
            links.add(fields(cause));
        }
        return links;
    }

    private static void putSet(Map<String, Object> fields, String name, Object value) {
        if (value != null) {
            fields.put(name, value);
        }
    }
}
