// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a model's JSON text as plain values (clause 7.1): {@code Map}, {@code List}, {@code String}, {@code Long},
 * {@code BigInteger}, {@code Double}, {@code Boolean}, null. Tags are not looked for: a model's {@code $iso:} key is
 * data.
 */
final class PlainJson {

    /** The deepest container; the outermost has depth 1. */
    static final int MAX_DEPTH = 128;

    /** The digits of the longest integer (clause 5.8). */
    static final int MAX_DIGITS = 4_300;

    /** Our own limits say where and why; the parser's own would only say that the text is broken. */
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .build())
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private final JsonParser parser;
    private final List<Object> steps;
    private int depth;
    private Violation duplicate;

    private PlainJson(JsonParser parser, List<Object> steps) {
        this.parser = parser;
        this.steps = steps;
    }

    /**
     * The value that {@code text} holds.
     *
     * @param base where the text stands in the arguments, names and indexes
     * @throws NotPlain the text is no JSON, repeats a key, is nested too deep or holds a number beyond the limits
     */
    static Object read(String text, List<?> base) throws NotPlain {
        String json = text.startsWith("\uFEFF") ? text.substring(1) : text;
        try (JsonParser parser = FACTORY.createParser(json)) {
            PlainJson reader = new PlainJson(parser, new ArrayList<>(base));
            // What stands in the arguments is as deep as the containers around it.
            reader.depth = base.size();
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw broken(base);
            }
            Object value = reader.value(first);
            if (parser.nextToken() != null) {
                throw broken(base);
            }
            if (reader.duplicate != null) {
                throw new NotPlain(reader.duplicate);
            }
            return value;
        } catch (IOException notJson) {
            throw broken(base);
        }
    }

    /** Text that is no JSON, or holds what is beyond the limits. */
    static NotPlain broken(List<?> base) {
        return new NotPlain(new Violation(ArgumentPath.of(base), "json", "is not valid JSON"));
    }

    private Object value(JsonToken token) throws IOException, NotPlain {
        return switch (token) {
            case START_OBJECT -> container(this::object);
            case START_ARRAY -> container(this::list);
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> integer();
            case VALUE_NUMBER_FLOAT -> binary64();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private interface Reading {
        Object read() throws IOException, NotPlain;
    }

    private Object container(Reading reading) throws IOException, NotPlain {
        if (depth == MAX_DEPTH) {
            throw NotPlain.tooDeep();
        }
        depth++;
        Object value = reading.read();
        depth--;
        return value;
    }

    private Map<String, Object> object() throws IOException, NotPlain {
        Map<String, Object> object = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            steps.add(name);
            if (duplicate == null && object.containsKey(name)) {
                duplicate = new Violation(ArgumentPath.of(steps), "duplicate", "appears twice");
            }
            object.put(name, value(parser.nextToken()));
            steps.remove(steps.size() - 1);
        }
        return object;
    }

    private List<Object> list() throws IOException, NotPlain {
        List<Object> list = new ArrayList<>();
        JsonToken token;
        while ((token = parser.nextToken()) != JsonToken.END_ARRAY) {
            steps.add(list.size());
            list.add(value(token));
            steps.remove(steps.size() - 1);
        }
        return list;
    }

    private Object integer() throws IOException {
        int digits = parser.getTextLength() - (parser.getTextCharacters()[parser.getTextOffset()] == '-' ? 1 : 0);
        if (digits > MAX_DIGITS) {
            throw new JsonParseException(parser, "an integer of more than " + MAX_DIGITS + " digits");
        }
        return digits < 19 ? (Object) parser.getLongValue() : PlainValues.integer(parser.getBigIntegerValue());
    }

    private Object binary64() throws IOException {
        double number = parser.getDoubleValue();
        if (Double.isInfinite(number)) {
            throw new JsonParseException(parser, "a number beyond the range of binary64");
        }
        return number;
    }
}
