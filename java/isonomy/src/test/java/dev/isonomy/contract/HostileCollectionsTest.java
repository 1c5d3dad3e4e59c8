// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.ThrowingSupplier;

/** Collections without an end, with a wrong size, and parts that are held very often (clauses 5.26 and 5.29). */
final class HostileCollectionsTest {
    private static final Duration HANG = Duration.ofSeconds(30);

    /** Says it has some items, and gives one without end. */
    private static <T> Iterator<T> endless(Supplier<T> item) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return true;
            }

            @Override
            public T next() {
                return item.get();
            }
        };
    }

    private static Collection<Object> items(int size) {
        return new AbstractCollection<>() {
            @Override
            public Iterator<Object> iterator() {
                return endless(() -> 1);
            }

            @Override
            public int size() {
                return size;
            }
        };
    }

    private static Map<String, Object> members(int size) {
        return new AbstractMap<>() {
            @Override
            public int size() {
                return size;
            }

            @Override
            public Set<Entry<String, Object>> entrySet() {
                return new AbstractSet<>() {
                    private int n;

                    @Override
                    public Iterator<Entry<String, Object>> iterator() {
                        return endless(() -> Map.entry("k" + n++, 1));
                    }

                    @Override
                    public int size() {
                        return size;
                    }
                };
            }
        };
    }

    private static <T> T bounded(ThrowingSupplier<T> work) {
        return assertTimeoutPreemptively(HANG, work);
    }

    private static String json(Object value) {
        return bounded(() -> new String(Portable.encode(value, Limits.DEFAULT), StandardCharsets.UTF_8));
    }

    private static void tooLarge(Object value, Limits limits) {
        PortableException refused =
                bounded(() -> assertThrows(PortableException.class, () -> Portable.encode(value, limits)));
        assertEquals(PortableException.Reason.TOO_LARGE, refused.reason());
    }

    @Test
    void noMorePartsAreTakenThanThereAreSaidToBe() {
        assertEquals("[1,1]", json(items(2)));
        assertEquals("[1,1]", json(Collections.unmodifiableCollection(items(2))));
        assertEquals("[]", json(items(0)));
        assertEquals(2, ((Map<?, ?>) Portable.decode(json(members(2)))).size());
        assertEquals(2, ((Map<?, ?>) Portable.decode(json(Collections.unmodifiableMap(members(2))))).size());
        assertEquals("[1,1,1]", json(members(3).values()));
        assertEquals("{\"$iso:opaque\":{\"type\":\"" + items(-1).getClass().getName() + "\",\"path\":\"$\"}}", json(items(-1)));
        assertEquals("{\"$iso:opaque\":{\"type\":\"" + members(-1).getClass().getName() + "\",\"path\":\"$\"}}", json(members(-1)));
    }

    @Test
    void whatSaysItHasTooMuchIsTooLargeAtOnce() {
        for (Object huge : List.of(items(Integer.MAX_VALUE), members(Integer.MAX_VALUE), items(1 << 24))) {
            tooLarge(huge, Limits.DEFAULT);
            tooLarge(List.of(1, huge), Limits.DEFAULT);
        }
        tooLarge(items(Integer.MAX_VALUE), Limits.NONE);
        tooLarge(members(Integer.MAX_VALUE), Limits.NONE);
    }

    @Test
    void elementsThatComeTwiceCountOnce() {
        Set<Object> same = new java.util.LinkedHashSet<>(List.of(
                Float.NaN, Double.NaN, (byte) 1, (short) 1, 1, 1L, java.math.BigInteger.ONE));
        int size = Portable.encode(same).length;
        assertEquals(size, Portable.encode(same, new Limits(size, false)).length);
        tooLarge(same, new Limits(size - 1, false));
        assertEquals(size + 2, Portable.encode(List.of(same), new Limits(size + 2, false)).length);
        tooLarge(List.of(same), new Limits(size + 1, false));
    }

    @Test
    void metaAndBlocksEndToo() {
        ToolSuccess success = bounded(() -> ToolResponse.success(1, List.of(new Block("x", members(2))), members(3)));
        assertEquals(3, success.meta().size());
        assertEquals(2, success.content().get(0).fields().size());
    }

    private static Object shared(boolean map) {
        Object value = List.of();
        for (int i = 0; i < 40; i++) {
            Map<String, Object> both = new LinkedHashMap<>();
            both.put("a", value);
            both.put("b", value);
            value = map ? both : List.of(value, value);
        }
        return value;
    }

    @Test
    void partsThatAreHeldVeryOftenAreRefusedAtOnce() {
        for (Object value : List.of(shared(false), shared(true))) {
            tooLarge(value, Limits.DEFAULT);
            tooLarge(value, Limits.NONE);
            bounded(() -> assertThrows(PortableException.class, () -> Canonical.digest(value)));
            for (Object returned : List.of(
                    value, ToolResponse.success(value), ToolResponse.success(1, List.of(), Map.of("m", value)),
                    ToolResponse.success(1, List.of(new Block("x", Map.of("a", value))), Map.of()))) {
                Outcome outcome = bounded(() -> Limits.DEFAULT.applied(new Returned(returned)));
                assertEquals(ErrorKind.TOO_LARGE, ((Settled) outcome).error().kind());
                assertEquals("the result takes more than 16777216 bytes", ((Settled) outcome).error().message());
            }
            ToolFailure failure = ToolResponse.failure("no").details(value).build();
            Returned kept = (Returned) bounded(() -> Limits.DEFAULT.applied(new Returned(failure)));
            assertEquals(Map.of("omitted", "too_large"), ((ToolFailure) kept.value()).error().details());
        }
    }

    @Test
    void aValueWithManyPartsThatFitsIsWritten() {
        Object value = List.of();
        for (int i = 0; i < 16; i++) {
            value = List.of(value, value);
        }
        assertEquals(5 * (1 << 16) - 3, json(value).length());
    }

    @Test
    void anErrorThatAValueThrowsMakesItOpaque() {
        Collection<Object> broken = new AbstractCollection<>() {
            @Override
            public Iterator<Object> iterator() {
                throw new NoClassDefFoundError("org/example/Driver");
            }

            @Override
            public int size() {
                return 1;
            }
        };
        List<?> made = (List<?>) Portable.decode(Portable.encode(List.of(broken, 1)));
        assertEquals("$[0]", ((Opaque) made.get(0)).path());
        assertEquals(1L, made.get(1));
    }

    @Test
    void aRefusalNamesTheBoundThatWasGiven() {
        PortableException refused = assertThrows(
                PortableException.class,
                () -> Portable.encode(Collections.nCopies(1_500_000_000, 1), new Limits(1000, false)));
        assertEquals("the result takes more than 1000 bytes", refused.getMessage());
    }

    @Test
    void aNameIsQuotedWithoutLoneSurrogates() {
        assertEquals("\"a\uFFFDb\\n\"", Portable.quoted("a\uD800b\n"));
    }
}
