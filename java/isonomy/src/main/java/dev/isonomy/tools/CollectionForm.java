// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Queue;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.IntFunction;

/** A collection or an array: a list; of a set the items differ. */
final class CollectionForm implements Form {

    private static final Map<Class<?>, IntFunction<Collection<Object>>> MAKERS = makers();

    private final IntFunction<Collection<Object>> maker;
    private final Class<?> component;
    private final boolean distinct;
    private final Form item;

    private CollectionForm(IntFunction<Collection<Object>> maker, Class<?> component, boolean distinct, Form item) {
        this.maker = maker;
        this.component = component;
        this.distinct = distinct;
        this.item = item;
    }

    /** Whether a class is a collection that can be made. */
    static boolean covers(Class<?> type) {
        return MAKERS.containsKey(type);
    }

    /** Whether a collection orders its items, which must then be comparable. */
    static boolean isSorted(Class<?> type) {
        return SortedSet.class.isAssignableFrom(type);
    }

    /** The form of a collection class. */
    static Form of(Class<?> type, Form item) {
        return new CollectionForm(MAKERS.get(type), null, Set.class.isAssignableFrom(type), item);
    }

    /** The form of an array. */
    static Form array(Class<?> component, Form item) {
        return new CollectionForm(ArrayList::new, component, false, item);
    }

    @Override
    public Map<String, Object> schema(Definitions definitions) {
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("type", "array");
        schema.put("items", item.schema(definitions));
        if (distinct) {
            schema.put("uniqueItems", true);
        }
        return schema;
    }

    @Override
    public Object bind(Object value) throws Unreadable {
        List<?> items = (List<?>) value;
        Collection<Object> made = maker.apply(items.size());
        Unreadable unreadable = null;
        for (int i = 0; i < items.size(); i++) {
            try {
                Object bound = item.bind(items.get(i));
                // Two texts may be one date or number, and a set must not lose either silently.
                if (!made.add(bound)) {
                    throw new Unreadable("an item that differs from the others");
                }
            } catch (Unreadable one) {
                unreadable = one.within(i).after(unreadable);
            }
        }
        if (unreadable != null) {
            throw unreadable;
        }
        return component == null ? made : array(made);
    }

    private Object array(Collection<Object> items) {
        Object array = Array.newInstance(component, items.size());
        int i = 0;
        for (Object each : items) {
            Array.set(array, i++, each);
        }
        return array;
    }

    private static Map<Class<?>, IntFunction<Collection<Object>>> makers() {
        Map<Class<?>, IntFunction<Collection<Object>>> makers = new LinkedHashMap<>();
        for (Class<?> type : List.of(List.class, Collection.class, Iterable.class, ArrayList.class)) {
            makers.put(type, ArrayList::new);
        }
        for (Class<?> type : List.of(Queue.class, Deque.class, LinkedList.class)) {
            makers.put(type, size -> new LinkedList<>());
        }
        for (Class<?> type : List.of(Set.class, LinkedHashSet.class, HashSet.class)) {
            makers.put(type, size -> new LinkedHashSet<>());
        }
        for (Class<?> type : List.of(SortedSet.class, NavigableSet.class, TreeSet.class)) {
            makers.put(type, size -> new TreeSet<>());
        }
        return Map.copyOf(makers);
    }
}
