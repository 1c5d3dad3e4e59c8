// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON text in one pass (clause 5.28), as portable values or as plain JSON in which tags are maps. */
final class JsonReader {
    /** How deep lists and objects may be in each other in a text. */
    static final int MAX_NESTING = 512;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            // A text whose keys collide is slow to read, and still right.
            .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
            .build();

    private static final char BYTE_ORDER_MARK = '\uFEFF';

    /** What is made of the values in a text. */
    private enum Mode {
        PORTABLE,
        PLAIN
    }

    private final JsonParser parser;
    private int containers;

    private JsonReader(JsonParser parser) {
        this.parser = parser;
    }

    static Object portable(byte[] json) {
        return read(json, Mode.PORTABLE);
    }

    static Object plain(byte[] json) {
        return read(json, Mode.PLAIN);
    }

    static Object portable(String json) {
        return read(json, Mode.PORTABLE);
    }

    static Object plain(String json) {
        return read(json, Mode.PLAIN);
    }

    private static Object read(byte[] json, Mode mode) {
        Utf8.require(json);
        try (JsonParser parser = FACTORY.createParser(json)) {
            return new JsonReader(parser).document(mode);
        } catch (IOException broken) {
            if (Utf8.hasSurrogateEscape(json)) { // Jackson refuses lone surrogates in keys, and only when it reads bytes
                return read(new String(json, StandardCharsets.UTF_8), mode);
            }
            throw malformed(broken);
        }
    }

    private static Object read(String json, Mode mode) {
        boolean marked = !json.isEmpty() && json.charAt(0) == BYTE_ORDER_MARK;
        try (JsonParser parser = FACTORY.createParser(marked ? json.substring(1) : json)) {
            return new JsonReader(parser).document(mode);
        } catch (IOException broken) {
            throw malformed(broken);
        }
    }

    /** The place of the fault; Jackson's own words could repeat what the text holds. */
    private static PortableException malformed(IOException broken) {
        if (broken instanceof JsonProcessingException known && known.getLocation() != null) {
            return PortableException.malformed("broken JSON at line " + known.getLocation().getLineNr()
                    + ", column " + known.getLocation().getColumnNr());
        }
        return PortableException.malformed("broken JSON");
    }

    private Object document(Mode mode) throws IOException {
        Object value = value(parser.nextToken(), mode);
        if (parser.nextToken() != null) {
            throw PortableException.malformed("text after the end of the JSON value");
        }
        return value;
    }

    private Object value(JsonToken token, Mode mode) throws IOException {
        if (token == null) {
            throw PortableException.malformed("JSON without a value");
        }
        return switch (token) {
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> integer();
            case VALUE_NUMBER_FLOAT -> real();
            case VALUE_TRUE -> Boolean.TRUE;
            case VALUE_FALSE -> Boolean.FALSE;
            case VALUE_NULL -> null;
            case START_OBJECT -> object(mode);
            case START_ARRAY -> list(mode);
            default -> throw PortableException.malformed("broken JSON");
        };
    }

    private Object integer() throws IOException {
        if (parser.getTextLength() <= 18) {
            return parser.getLongValue();
        }
        String text = parser.getText();
        int digits = text.charAt(0) == '-' ? text.length() - 1 : text.length();
        if (digits > Digits.MAX) {
            throw PortableException.tooManyDigits(path());
        }
        BigInteger value = new BigInteger(text);
        return value.bitLength() < Long.SIZE ? (Object) value.longValue() : value;
    }

    private Double real() throws IOException {
        double value = parser.getDoubleValue();
        if (Double.isInfinite(value)) {
            throw PortableException.malformed(path() + ": a number beyond the range of binary64");
        }
        return value;
    }

    /** Plain JSON may be as deep as Jackson reads it; how deep values may be is decided by who makes them of it. */
    private List<Object> list(Mode mode) throws IOException {
        if (++containers > Place.MAX_DEPTH && mode == Mode.PORTABLE) {
            throw tooDeep();
        }
        List<Object> items = items(mode);
        containers--;
        return items;
    }

    /** An object is a container unless it turns out to be the tag of something that is none. */
    private Object object(Mode mode) throws IOException {
        containers++;
        Object object = members(mode);
        if (containers > Place.MAX_DEPTH && mode == Mode.PORTABLE && object instanceof Map) {
            throw tooDeep();
        }
        containers--;
        return object;
    }

    static PortableException tooDeep() {
        return PortableException.malformed("more than " + Place.MAX_DEPTH + " containers in each other");
    }

    private List<Object> items(Mode mode) throws IOException {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.END_ARRAY) {
            return Collections.emptyList();
        }
        List<Object> items = new ArrayList<>();
        do {
            items.add(value(token, mode));
            token = parser.nextToken();
        } while (token != JsonToken.END_ARRAY);
        return Collections.unmodifiableList(items);
    }

    private Object members(Mode mode) throws IOException {
        String name = parser.nextFieldName();
        if (name == null) {
            return Collections.emptyMap();
        }
        Map<String, Object> members = new LinkedHashMap<>();
        if (mode == Mode.PORTABLE && name.startsWith(Tags.PREFIX)) {
            Object payload = value(parser.nextToken(), Mode.PLAIN);
            String second = parser.nextFieldName();
            if (second == null) {
                return tag(name, payload);
            }
            members.put(name, Tags.decode(payload, containers));
            name = second;
        }
        do {
            int before = members.size();
            members.put(name, value(parser.nextToken(), mode));
            if (members.size() == before) {
                throw PortableException.malformed(path() + ": a key that appears twice");
            }
            name = parser.nextFieldName();
        } while (name != null);
        return Collections.unmodifiableMap(members);
    }

    private Object tag(String name, Object payload) {
        try {
            return Tags.decode(name, payload, containers - 1);
        } catch (PortableException refused) {
            throw refused.reason() == PortableException.Reason.TOO_LARGE
                    ? PortableException.tooManyDigits(path())
                    : refused;
        }
    }

    /** The path of the value that is being read. */
    private String path() {
        Deque<String> steps = new ArrayDeque<>();
        for (JsonStreamContext at = parser.getParsingContext(); at != null && !at.inRoot(); at = at.getParent()) {
            StringBuilder step = new StringBuilder();
            if (at.inArray()) {
                step.append('[').append(Math.max(0, at.getCurrentIndex())).append(']');
            } else if (at.getCurrentName() != null) {
                Place.appendKey(step, at.getCurrentName());
            }
            steps.push(step.toString());
        }
        return "$" + String.join("", steps);
    }
}
