// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;

/** Walks a value and writes its portable form (clauses 5.5 to 5.27). For one value, in one thread. */
final class Encoder {
    /** How often a converter's answer, or an Optional's value, is followed before it is taken for endless. */
    private static final int MAX_STEPS = 32;

    private final boolean strict;
    private final boolean keepAll;
    private final Place place = new Place();
    private final Containers containers = new Containers(this, place);
    private Form out;

    Encoder(Form out, boolean strict) {
        this(out, strict, false);
    }

    /**
     * An encoder to that form.
     *
     * @param strict whether a value without a portable form refuses the whole
     * @param keepAll whether even a number that is too long is opaque and refuses nothing (clause 4.15)
     */
    Encoder(Form out, boolean strict, boolean keepAll) {
        this.out = out;
        this.strict = strict && !keepAll;
        this.keepAll = keepAll;
    }

    Form out() {
        return out;
    }

    /** Where it stands. */
    Place place() {
        return place;
    }

    /** Writes to another form from now on and hands back the one before. */
    Form exchange(Form other) {
        Form before = out;
        out = other;
        return before;
    }

    /** Writes a portable value. */
    void value(Object value) {
        if (value == null) {
            out.nul();
        } else if (value instanceof String text) {
            text(text);
        } else if (value instanceof Boolean bool) {
            out.bool(bool);
        } else if (value instanceof Number number) {
            number(number);
        } else if (value instanceof Map<?, ?> map && !hasConverter(value)) {
            containers.map(map);
        } else if (value instanceof Collection<?> items && !hasConverter(value)) {
            containers.collection(items);
        } else {
            other(value, 0);
        }
    }

    void text(String text) {
        if (!out.text(text)) {
            out.surrogates(text);
        }
    }

    private void number(Number number) {
        if (number instanceof Long || number instanceof Integer || number instanceof Short || number instanceof Byte) {
            out.integer(number.longValue());
        } else if (number instanceof Double || number instanceof Float) {
            real(number.doubleValue());
        } else if (number.getClass() == BigInteger.class) {
            integer((BigInteger) number);
        } else if (number.getClass() == BigDecimal.class) {
            decimal((BigDecimal) number);
        } else {
            other(number, 0);
        }
    }

    private void real(double number) {
        if (Double.isNaN(number) || Double.isInfinite(number)) {
            out.tag(Tags.FLOAT, Double.toString(number));
        } else {
            out.real(number);
        }
    }

    private void integer(BigInteger number) {
        if (!Digits.tooMany(number)) {
            out.integer(number);
        } else {
            tooManyDigits(number);
        }
    }

    private void decimal(BigDecimal number) {
        if (!Digits.tooMany(number.unscaledValue())) {
            out.tag(Tags.DECIMAL, number.toString());
        } else {
            tooManyDigits(number);
        }
    }

    private void tooManyDigits(Object number) {
        if (!keepAll) {
            throw PortableException.tooManyDigits(place.path());
        }
        opaque(number);
    }

    private boolean hasConverter(Object value) {
        return Converters.find(value.getClass()) != null;
    }

    private void other(Object value, int steps) {
        if (ScalarTags.write(out, value)) {
            return;
        } else if (value instanceof Character c) {
            text(c.toString());
        } else if (value instanceof ToolResponse response) {
            containers.response(response);
        } else if (value instanceof Tagged tagged) {
            tagged(tagged);
        } else if (value instanceof Opaque opaque) {
            opaque(opaque.type(), opaque.path());
        } else {
            step(value, steps);
        }
    }

    /** Optionals, values with a converter, and everything that is neither. */
    private void step(Object value, int steps) {
        if (steps == MAX_STEPS) {
            opaque(value);
        } else if (isOptional(value)) {
            follow(content(value), steps);
        } else {
            Function<Object, ?> converter = Converters.find(value.getClass());
            if (converter == null) {
                containers.other(value);
            } else {
                convert(value, converter, steps);
            }
        }
    }

    private void convert(Object value, Function<Object, ?> converter, int steps) {
        Object converted;
        try {
            converted = converter.apply(value);
        } catch (Throwable broken) { // a converter is code of the host (clause 5.26)
            opaque(value);
            return;
        }
        if (converted == value) {
            containers.other(value);
        } else {
            follow(converted, steps);
        }
    }

    private void follow(Object value, int steps) {
        if (value == null || value instanceof String || value instanceof Number
                || (!isOptional(value) && !hasConverter(value))) {
            value(value);
        } else {
            other(value, steps + 1);
        }
    }

    static boolean isOptional(Object value) {
        return value instanceof Optional || value instanceof OptionalInt || value instanceof OptionalLong
                || value instanceof OptionalDouble;
    }

    static Object content(Object optional) {
        if (optional instanceof Optional<?> any) {
            return any.orElse(null);
        } else if (optional instanceof OptionalInt number) {
            return number.isPresent() ? number.getAsInt() : null;
        } else if (optional instanceof OptionalLong number) {
            return number.isPresent() ? number.getAsLong() : null;
        }
        OptionalDouble number = (OptionalDouble) optional;
        return number.isPresent() ? number.getAsDouble() : null;
    }

    /** Writes an object whose keys are strings and which is never a tag. */
    void members(Map<String, ?> map) {
        containers.plainMap(map, this::value, true);
    }

    private void tagged(Tagged tagged) {
        out.beginObject();
        out.key(tagged.tag());
        payload(tagged.payload());
        out.endObject();
    }

    /** Writes the payload of a tag: plain JSON in which a map is never escaped. */
    void payload(Object plain) {
        if (plain instanceof Map<?, ?> map) {
            containers.plainMap(map, this::payload, false);
        } else if (plain instanceof List<?> list) {
            containers.plainList(list, this::payload);
        } else {
            value(plain);
        }
    }

    /** Writes a field of a block: as a payload, and lone surrogates stay in their strings. */
    void plain(Object plain) {
        if (plain instanceof String text) {
            out.plainText(text);
        } else if (plain instanceof Map<?, ?> map) {
            containers.plainMap(map, this::plain, true);
        } else if (plain instanceof List<?> list) {
            containers.plainList(list, this::plain);
        } else {
            value(plain);
        }
    }

    /** Writes the marker of a value without a portable form, or refuses it. */
    void opaque(Object value) {
        String type = typeName(value.getClass());
        if (strict) {
            throw new PortableException(
                    PortableException.Reason.NOT_PORTABLE,
                    place.path(),
                    "a value of type " + type + " has no portable form");
        }
        opaque(type, place.path());
    }

    private void opaque(String type, String path) {
        out.beginObject();
        out.key(Tags.OPAQUE);
        out.beginObject();
        out.key("type");
        out.plainText(type);
        out.key("path");
        out.plainText(path);
        out.endObject();
        out.endObject();
    }

    /** The name of a class; without the address that the names of lambdas end in. */
    private static String typeName(Class<?> type) {
        String name = type.getName();
        int address = type.isHidden() ? name.indexOf('/') : -1;
        return address < 0 ? name : name.substring(0, address);
    }
}
