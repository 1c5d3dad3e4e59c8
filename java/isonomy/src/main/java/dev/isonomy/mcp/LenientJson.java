// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads JSON as plain values, more of it than JSON is, since a reply that is lost is a call without an end: NaN and
 * infinities are read, and of two members of one name the last counts (clause 14.22). What clauses 5.8 and 5.28 refuse
 * beside these is refused.
 */
final class LenientJson {

    private static final int MAX_NESTING = 128;
    private static final int MAX_DIGITS = 4_300;
    /** The numbers that are none in JSON; the parser knows some more words for them. */
    private static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .build();

    private final JsonParser parser;

    private LenientJson(JsonParser parser) {
        this.parser = parser;
    }

    /** The object that a text holds, or null where it is none or too deep; nobody can change it. */
    static Map<String, Object> object(String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            LenientJson reader = new LenientJson(parser);
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            Map<String, Object> object = reader.members();
            return parser.nextToken() == null ? object : null;
        } catch (IOException broken) {
            return null;
        }
    }

    private Object value(JsonToken token) throws IOException {
        if (token == null) {
            throw new IOException("the text ends too early");
        }
        return switch (token) {
            case START_OBJECT -> members();
            case START_ARRAY -> items();
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> integer();
            case VALUE_NUMBER_FLOAT -> real();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private Map<String, Object> members() throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        String name;
        while ((name = parser.nextFieldName()) != null) {
            members.put(name, value(parser.nextToken()));
        }
        return Collections.unmodifiableMap(members);
    }

    private List<Object> items() throws IOException {
        List<Object> items = new ArrayList<>();
        JsonToken token;
        while ((token = parser.nextToken()) != JsonToken.END_ARRAY) {
            items.add(value(token));
        }
        return Collections.unmodifiableList(items);
    }

    private Double real() throws IOException {
        double value = parser.getDoubleValue();
        if (!Double.isFinite(value) && !NOT_FINITE.contains(parser.getText())) {
            throw new IOException("a number beyond the range of binary64");
        }
        return value;
    }

    private Object integer() throws IOException {
        if (parser.getTextLength() <= 18) {
            return parser.getLongValue();
        }
        int digits = parser.getTextLength() - (parser.getText().charAt(0) == '-' ? 1 : 0);
        if (digits > MAX_DIGITS) {
            throw new IOException("an integer of too many digits");
        }
        BigInteger value = parser.getBigIntegerValue();
        return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
    }
}
