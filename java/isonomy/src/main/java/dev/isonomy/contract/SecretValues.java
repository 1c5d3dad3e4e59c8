// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Texts of injected values, in every form in which they may stand in a failure (clause 12.5). Immutable and safe for use
 * by several threads.
 */
public final class SecretValues {
    /** No secrets. */
    public static final SecretValues NONE = new SecretValues(Set.of(), List.of());

    private static final int MIN_LENGTH = 4;
    /** Parts that are looked at: a million, or as many scalars for each of them; some values have no end. */
    private static final int MAX_ROOM = 100_000_000;
    private static final int PER_PART = 100;
    private static final int MAX_TEXTS = 100_000;

    private final List<String> texts;
    private final List<byte[]> bytes;

    private SecretValues(Set<String> texts, List<byte[]> bytes) {
        this.texts = new ArrayList<>(texts);
        this.texts.sort(Comparator.comparingInt(String::length).reversed());
        this.bytes = bytes;
    }

    /**
     * The secrets in values: texts, bytes, and those in lists, sets, maps, optionals and, by their names, records.
     *
     * @throws Misuse the values hold too much to be searched (clause 12.5)
     */
    public static SecretValues of(Collection<?> values) {
        return values.isEmpty() ? NONE : new Search().of(values);
    }

    boolean isEmpty() {
        return texts.isEmpty();
    }

    /** How many code points the longest text has. */
    int longest() {
        int longest = 0;
        for (String text : texts) {
            longest = Math.max(longest, text.codePointCount(0, text.length()));
        }
        return longest;
    }

    /** Whether one of them stands in bytes, as UTF-8. */
    boolean areIn(byte[] data) {
        // Each byte as a character: so the search for a text is one for bytes.
        String all = new String(data, ISO_8859_1);
        for (byte[] secret : bytes) {
            if (all.contains(new String(secret, ISO_8859_1))) {
                return true;
            }
        }
        return false;
    }

    /** The text with {@code [redacted]} for each of them; occurrences that overlap are one. */
    String replaced(String text) {
        List<int[]> found = new ArrayList<>(0);
        for (String secret : texts) {
            int end;
            for (int at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, end)) {
                end = endOfRun(text, secret, at);
                found.add(new int[] {at, end});
            }
        }
        if (found.isEmpty()) {
            return text;
        }
        found.sort((a, b) -> a[0] != b[0] ? Integer.compare(a[0], b[0]) : Integer.compare(a[1], b[1]));
        StringBuilder out = new StringBuilder(text.length());
        int copied = 0;
        int begin = found.get(0)[0];
        int end = found.get(0)[1];
        for (int[] part : found) {
            if (part[0] < end) {
                end = Math.max(end, part[1]);
            } else {
                out.append(text, copied, begin).append(SecretRules.REDACTED);
                copied = end;
                begin = part[0];
                end = part[1];
            }
        }
        return out.append(text, copied, begin).append(SecretRules.REDACTED).append(text, end, text.length()).toString();
    }

    /** Where the last of occurrences ends that begin at {@code at} and overlap: `abab` is twice in `ababab`. */
    private static int endOfRun(String text, String secret, int at) {
        int begin = at;
        int last = text.lastIndexOf(secret, begin + secret.length() - 1);
        while (last > begin) {
            begin = last;
            last = text.lastIndexOf(secret, begin + secret.length() - 1);
        }
        return begin + secret.length();
    }

    /** Collects the texts and bytes that are secret in values, at any depth. */
    private static final class Search {
        /** A value, and whether its texts count: an object is more than data. */
        private record Rest(Object value, boolean isData) {}

        private final Set<String> texts = new LinkedHashSet<>();
        private final List<byte[]> bytes = new ArrayList<>();
        private final Deque<Rest> rest = new ArrayDeque<>();
        private final Map<Object, Boolean> seen = new IdentityHashMap<>();
        private int room = MAX_ROOM;

        SecretValues of(Collection<?> values) {
            values.forEach(value -> add(value, true));
            while (!rest.isEmpty()) {
                Rest next = rest.pop();
                try {
                    look(next.value, next.isData);
                } catch (Misuse tooMuch) {
                    throw tooMuch;
                } catch (RuntimeException broken) {
                    // A collection of the host's own that throws: what it gave before counts, and it has no more.
                }
            }
            return new SecretValues(texts, bytes);
        }

        private void look(Object value, boolean isData) {
            if (value instanceof CharSequence || value instanceof char[] || value instanceof byte[]
                    || value instanceof ByteBuffer) {
                if (isData) {
                    secret(value);
                }
            } else if (value instanceof Optional<?> optional) {
                add(optional.orElse(null), isData);
            } else {
                Boolean known = seen.get(value);
                if (known == null || isData && !known) {
                    seen.put(value, isData);
                    below(value, isData);
                }
            }
        }

        private void below(Object value, boolean isData) {
            if (value instanceof Map<?, ?> map) {
                int n = map.size();
                Iterator<? extends Map.Entry<?, ?>> each = map.entrySet().iterator();
                while (n-- > 0 && each.hasNext()) {
                    Map.Entry<?, ?> entry = each.next();
                    boolean named = entry.getKey() instanceof String key && SecretRules.DEFAULT.isSecret(key);
                    add(entry.getValue(), isData || named);
                }
            } else if (value instanceof Collection<?> items) {
                int n = items.size();
                Iterator<?> each = items.iterator();
                while (n-- > 0 && each.hasNext()) {
                    add(each.next(), isData);
                }
            } else if (value instanceof Object[] items) {
                for (Object item : items) {
                    add(item, isData);
                }
            } else if (value instanceof Record) {
                RecordShape shape = RecordShape.of(value.getClass());
                Object[] values = shape.values(value);
                for (int i = 0; values != null && i < values.length; i++) {
                    add(values[i], SecretRules.DEFAULT.isSecret(shape.names()[i]));
                }
            }
        }

        private void add(Object item, boolean isData) {
            boolean scalar = item == null || item instanceof Number || item instanceof Boolean;
            room -= scalar ? 1 : PER_PART;
            if (room < 0 || bytes.size() > MAX_TEXTS) {
                throw new Misuse("injected values hold too much to be searched for secrets (12.5): more than 1,000,000"
                        + " parts or 100,000 texts; mark the parameter that takes it as no secret, with"
                        + " @Injected(secret = false)");
            }
            if (!scalar) {
                rest.add(new Rest(item, isData));
            }
        }

        private void secret(Object value) {
            if (value instanceof byte[] data) {
                bytes(data);
            } else if (value instanceof ByteBuffer buffer) {
                byte[] data = new byte[buffer.remaining()];
                buffer.duplicate().get(data);
                bytes(data);
            } else {
                String text = value instanceof char[] chars ? new String(chars) : value.toString();
                if (isLongEnough(text)) {
                    texts.addAll(SecretForms.of(text));
                    bytes.add(ErrorText.wellFormed(text).getBytes(UTF_8));
                }
            }
        }

        private void bytes(byte[] data) {
            if (data.length < MIN_LENGTH) {
                return;
            }
            bytes.add(data.clone());
            texts.addAll(SecretForms.pythonBytes(data));
            texts.add(Base64.getEncoder().encodeToString(data));
            String text = new String(data, UTF_8);
            if (Arrays.equals(text.getBytes(UTF_8), data) && isLongEnough(text)) {
                texts.addAll(SecretForms.of(text));
            }
        }

        private static boolean isLongEnough(String text) {
            return text.codePointCount(0, text.length()) >= MIN_LENGTH && !SecretRules.REDACTED.contains(text);
        }
    }
}
