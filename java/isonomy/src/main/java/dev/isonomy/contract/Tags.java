// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What tags mean (clauses 5.9 to 5.20): from plain JSON, in which tags are maps, to values. */
final class Tags {
    static final String PREFIX = "$iso:";
    static final String FLOAT = "$iso:float";
    static final String STR = "$iso:str";
    static final String BYTES = "$iso:bytes";
    static final String DECIMAL = "$iso:decimal";
    static final String DATE = "$iso:date";
    static final String TIME = "$iso:time";
    static final String OFFSET_TIME = "$iso:offsettime";
    static final String DATE_TIME = "$iso:datetime";
    static final String OFFSET_DATE_TIME = "$iso:offsetdatetime";
    static final String ZONED_DATE_TIME = "$iso:zoneddatetime";
    static final String DURATION = "$iso:duration";
    static final String UUID_ = "$iso:uuid";
    static final String SET = "$iso:set";
    static final String MAP = "$iso:map";
    static final String OPAQUE = "$iso:opaque";

    private static final Pattern FINITE_DECIMAL =
            Pattern.compile("-?(0|[1-9][0-9]*+)(?:\\.([0-9]++))?(?:E[+-][1-9][0-9]*+)?");

    private static final String TYPE_FIELD = "type";
    private static final String PATH_FIELD = "path";

    private Tags() {}

    /** The portable value that plain JSON stands for; the same object where no tag is in it. */
    static Object decode(Object plain) {
        return decode(plain, 0);
    }

    /** The same inside so many containers: lists, objects, sets, maps, but no tags of other kinds (clause 5.28). */
    static Object decode(Object plain, int around) {
        if (plain instanceof Map<?, ?> map) {
            if (map.size() == 1) {
                Map.Entry<?, ?> only = map.entrySet().iterator().next();
                if (only.getKey() instanceof String key && key.startsWith(PREFIX)) {
                    return decode(key, only.getValue(), around);
                }
            }
            return decodeMembers(map, inside(around));
        }
        return plain instanceof List<?> list ? decodeItems(list, inside(around)) : plain;
    }

    private static int inside(int around) {
        if (around == Place.MAX_DEPTH) {
            throw JsonReader.tooDeep();
        }
        return around + 1;
    }

    private static Object decodeMembers(Map<?, ?> plain, int around) {
        Map<Object, Object> changed = null;
        for (Map.Entry<?, ?> member : plain.entrySet()) {
            Object value = decode(member.getValue(), around);
            if (value != member.getValue()) {
                if (changed == null) {
                    changed = new LinkedHashMap<>(plain);
                }
                changed.put(member.getKey(), value);
            }
        }
        return changed == null ? plain : Collections.unmodifiableMap(changed);
    }

    private static List<?> decodeItems(List<?> plain, int around) {
        List<Object> changed = null;
        for (int i = 0; i < plain.size(); i++) {
            Object value = decode(plain.get(i), around);
            if (value != plain.get(i)) {
                if (changed == null) {
                    changed = new ArrayList<>(plain);
                }
                changed.set(i, value);
            }
        }
        return changed == null ? plain : Collections.unmodifiableList(changed);
    }

    /** The value of a tag, {@link Tagged} where there is none. */
    static Object decode(String key, Object payload, int around) {
        Object value = null;
        if (payload instanceof String text) {
            value = ofText(key, text);
        } else if (payload instanceof List<?> items) {
            value = switch (key) {
                case STR -> joined(items);
                case SET -> set(items, inside(around));
                case MAP -> map(items, inside(around));
                default -> null;
            };
        } else if (payload instanceof Map<?, ?> fields && key.equals(OPAQUE)) {
            value = opaque(fields);
        }
        return value == null ? new Tagged(key, payload) : value;
    }

    private static Object ofText(String key, String text) {
        return switch (key) {
            case FLOAT -> number(text);
            case BYTES -> bytes(text);
            case DECIMAL -> decimal(text);
            case UUID_ -> uuid(text);
            case DATE, TIME, OFFSET_TIME, DATE_TIME, OFFSET_DATE_TIME, ZONED_DATE_TIME, DURATION ->
                    TemporalText.parse(key, text);
            default -> null;
        };
    }

    private static Double number(String text) {
        return switch (text) {
            case "NaN" -> Double.NaN;
            case "Infinity" -> Double.POSITIVE_INFINITY;
            case "-Infinity" -> Double.NEGATIVE_INFINITY;
            default -> null;
        };
    }

    /** Java's decoder forgives missing padding and loose bits; both would be written differently. */
    private static byte[] bytes(String text) {
        if (text.length() % 4 != 0) {
            return null;
        }
        try {
            byte[] bytes = Base64.getDecoder().decode(text);
            int whole = bytes.length / 3 * 3;
            byte[] rest = Arrays.copyOfRange(bytes, whole, bytes.length);
            return text.endsWith(Base64.getEncoder().encodeToString(rest)) ? bytes : null;
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    private static BigDecimal decimal(String text) {
        Matcher finite = FINITE_DECIMAL.matcher(text);
        if (!finite.matches()) {
            return null;
        }
        int fraction = finite.end(2) - finite.start(2);
        int whole = finite.group(1).equals("0") ? 0 : finite.end(1) - finite.start(1);
        if (whole + fraction > Digits.MAX && digitsOf(finite) > Digits.MAX) {
            throw PortableException.tooManyDigits(null);
        }
        try {
            BigDecimal value = new BigDecimal(text);
            return value.toString().equals(text) ? value : null;
        } catch (NumberFormatException tooWide) { // the exponent does not fit 32 bits
            return null;
        }
    }

    /** How many digits the coefficient has: those of the whole text without zeros in front. */
    private static int digitsOf(Matcher finite) {
        String digits = finite.group(1) + (finite.group(2) == null ? "" : finite.group(2));
        int zeros = 0;
        while (zeros < digits.length() - 1 && digits.charAt(zeros) == '0') {
            zeros++;
        }
        return digits.length() - zeros;
    }

    private static UUID uuid(String text) {
        try {
            UUID value = UUID.fromString(text);
            return value.toString().equals(text) ? value : null;
        } catch (IllegalArgumentException malformed) {
            return null;
        }
    }

    private static String joined(List<?> pieces) {
        StringBuilder out = new StringBuilder();
        boolean lone = false;
        Object before = null;
        for (Object piece : pieces) {
            if (piece instanceof String text) {
                if (before instanceof String || text.isEmpty() || Surrogates.firstLone(text) >= 0) {
                    return null;
                }
                out.append(text);
            } else if (piece instanceof Long unit && unit >= Character.MIN_SURROGATE && unit <= Character.MAX_SURROGATE) {
                char c = (char) unit.longValue();
                boolean joins = before instanceof Long && Character.isLowSurrogate(c)
                        && Character.isHighSurrogate(out.charAt(out.length() - 1));
                if (joins) {
                    return null;
                }
                out.append(c);
                lone = true;
            } else {
                return null;
            }
            before = piece;
        }
        return lone ? out.toString() : null;
    }

    private static Object set(List<?> items, int around) {
        byte[][] keys = new byte[items.size()][];
        Object[] elements = new Object[items.size()];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = Canonical.ofPlain(items.get(i));
            if (i > 0 && Arrays.compareUnsigned(keys[i - 1], keys[i]) >= 0) {
                return null;
            }
            elements[i] = decode(items.get(i), around);
        }
        return new PortableSet(elements, keys);
    }

    private static Object map(List<?> pairs, int around) {
        int n = pairs.size();
        byte[][] encodings = new byte[n][];
        Object[] keys = new Object[n];
        Object[] values = new Object[n];
        boolean needed = false;
        for (int i = 0; i < n; i++) {
            if (!(pairs.get(i) instanceof List<?> pair) || pair.size() != 2) {
                return null;
            }
            encodings[i] = Canonical.ofPlain(pair.get(0));
            if (i > 0 && Arrays.compareUnsigned(encodings[i - 1], encodings[i]) >= 0) {
                return null;
            }
            keys[i] = decode(pair.get(0), around);
            values[i] = decode(pair.get(1), around);
            needed |= !(keys[i] instanceof String text) || Surrogates.firstLone(text) >= 0
                    || (n == 1 && text.startsWith(PREFIX));
        }
        return needed ? new PortableMap(keys, values, encodings) : null;
    }

    private static Opaque opaque(Map<?, ?> fields) {
        return fields.size() == 2
                        && fields.get(TYPE_FIELD) instanceof String type
                        && fields.get(PATH_FIELD) instanceof String path
                ? new Opaque(type, path)
                : null;
    }
}
