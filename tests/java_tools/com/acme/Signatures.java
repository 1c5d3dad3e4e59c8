// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.tools.Tool;
import dev.isonomy.tools.ToolParam;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** The tools that vectors of the area `arguments` name by their signature; each returns what it received. */
public final class Signatures {
    private Signatures() {}

    @Tool
    public static Map<String, Object> matrix(
            String title, @ToolParam(defaultValue = "10") int limit, @ToolParam(required = false) String note) {
        return values("title", title, "limit", limit, "note", note);
    }

    @Tool
    public static Map<String, Object> texts(
            @ToolParam(required = false) LocalDate day,
            @ToolParam(required = false) UUID id,
            @ToolParam(required = false) BigDecimal amount) {
        return values("day", day, "id", id, "amount", amount);
    }

    @Tool
    public static Map<String, Object> numbers(
            @ToolParam(required = false) Byte b,
            @ToolParam(required = false) Short s,
            @ToolParam(required = false) Integer i,
            @ToolParam(required = false) Long l,
            @ToolParam(required = false) Double d,
            @ToolParam(required = false) BigInteger big) {
        return values("b", b, "s", s, "i", i, "l", l, "d", d, "big", big);
    }

    private static Map<String, Object> values(Object... pairs) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put((String) pairs[i], pairs[i + 1]);
        }
        return values;
    }
}
