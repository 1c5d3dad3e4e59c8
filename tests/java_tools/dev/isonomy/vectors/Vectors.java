// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.vectors;

import dev.isonomy.shaded.jackson.core.StreamReadConstraints;
import dev.isonomy.shaded.jackson.databind.ObjectMapper;
import dev.isonomy.shaded.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The JSON of vectors for tools that run in a Python host: the core of the bundle has its JSON library under another
 * name. It stands in for the class of this name among the Java tests, whose neighbours are used as they are.
 */
public final class Vectors {
    private static final ObjectMapper JSON = new ObjectMapper(JsonMapper.builder()
            .build()
            .getFactory()
            .setStreamReadConstraints(StreamReadConstraints.builder()
                    .maxNumberLength(100_000)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build()));

    private Vectors() {}

    public static String text(Object json) {
        try {
            return JSON.writeValueAsString(json);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    public static Object json(String text) {
        try {
            return JSON.readValue(text, Object.class);
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
