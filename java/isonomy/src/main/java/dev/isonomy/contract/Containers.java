// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.lang.reflect.Array;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Writes the values that hold values: lists, sets, maps, arrays, records, responses. Members are taken out before the
 * first of them is written, so that a collection that throws leaves nothing half-written.
 */
final class Containers {
    private static final int MANY = 10_000;

    private final Encoder encoder;
    private final Place place;
    private final TakenParts taken;
    private int count;

    Containers(Encoder encoder, Place place) {
        this.encoder = encoder;
        this.place = place;
        this.taken = new TakenParts(encoder);
    }

    private boolean entered(Object container) {
        return counted(place.enter(container));
    }

    /** Looks, once there are many containers, whether they are so many because one is held very often. */
    private boolean counted(boolean entered) {
        if (entered && ++count == MANY && LeastSize.of(place) > encoder.out().bound()) {
            encoder.out().expect(encoder.out().bound() + 1);
        }
        return entered;
    }

    /** A value that is no container either has no portable form. */
    void other(Object value) {
        if (value instanceof Enum<?> member) {
            encoder.text(member.name());
        } else if (value instanceof Map<?, ?> map) {
            map(map);
        } else if (value instanceof Collection<?> items) {
            collection(items);
        } else if (value instanceof Record) {
            record(value);
        } else if (value.getClass().isArray()) {
            array(value);
        } else {
            encoder.opaque(value);
        }
    }

    void collection(Collection<?> collection) {
        Object[] items = taken.items(collection);
        if (items == null || !entered(collection)) {
            encoder.opaque(collection);
        } else {
            if (collection instanceof Set) {
                set(items);
            } else {
                list(items);
            }
            place.leave();
        }
    }

    private void list(Object[] items) {
        Form out = encoder.out();
        out.beginList();
        for (int i = 0; i < items.length; i++) {
            place.index(i);
            encoder.value(items[i]);
        }
        out.endList();
    }

    private void array(Object array) {
        if (!entered(array)) {
            encoder.opaque(array);
            return;
        }
        if (array instanceof Object[] items) {
            list(items);
        } else {
            Object[] boxed = new Object[Array.getLength(array)];
            for (int i = 0; i < boxed.length; i++) {
                boxed[i] = Array.get(array, i);
            }
            list(boxed);
        }
        place.leave();
    }

    private void set(Object[] items) {
        place.anywhere();
        sorted(Tags.SET, out -> {
            for (Object item : items) {
                out.item();
                encoder.value(item);
            }
        });
    }

    /** Writes a tag whose payload is in canonical order; false where two keys were equal. */
    private boolean sorted(String tag, Consumer<Form> items) {
        Form before = encoder.out();
        if (before instanceof JsonForm json) {
            encoder.exchange(new BothForms(json));
        }
        Form out = encoder.out();
        out.beginObject();
        out.key(tag);
        out.beginSorted();
        items.accept(out);
        boolean distinct = out.endSorted();
        out.endObject();
        encoder.exchange(before);
        return distinct;
    }

    void map(Map<?, ?> map) {
        Object[] members = taken.members(map);
        if (members == null || !entered(map)) {
            encoder.opaque(map);
            return;
        }
        Form.Mark start = null;
        boolean distinct;
        if (MapKeys.arePlain(members)) {
            object(members, encoder::value);
            distinct = true;
        } else {
            start = encoder.out().mark();
            distinct = mapOfAnyKeys(members);
        }
        place.leave();
        if (!distinct) {
            encoder.out().reset(start);
            encoder.opaque(map);
        }
    }

    private void object(Object[] members, Consumer<Object> write) {
        Form out = encoder.out();
        out.beginObject();
        for (int i = 0; i < members.length; i += 2) {
            String key = (String) members[i];
            place.key(key);
            out.key(key);
            write.accept(members[i + 1]);
        }
        out.endObject();
    }

    /** Keys that are written as strings are strings, so that the form of the map depends on its encoding alone. */
    private boolean mapOfAnyKeys(Object[] members) {
        boolean named = MapKeys.intoStrings(members);
        if (named && MapKeys.arePlain(members)) {
            object(members, encoder::value);
            return MapKeys.areDistinct(members);
        }
        return pairs(members, named, encoder::value);
    }

    private boolean pairs(Object[] members, boolean named, Consumer<Object> write) {
        return sorted(Tags.MAP, out -> {
            for (int i = 0; i < members.length; i += 2) {
                if (named) {
                    place.key((String) members[i]);
                } else {
                    place.anywhere();
                }
                out.item();
                out.beginList();
                encoder.value(members[i]);
                out.keyEnd();
                write.accept(members[i + 1]);
                out.endList();
            }
        });
    }

    private void record(Object record) {
        RecordShape shape = RecordShape.of(record.getClass());
        Object[] values = shape.values(record);
        if (values == null || !entered(record)) {
            encoder.opaque(record);
            return;
        }
        Form out = encoder.out();
        String[] names = shape.names();
        out.beginObject();
        for (int i = 0; i < names.length; i++) {
            place.key(names[i]);
            out.key(names[i]);
            encoder.value(values[i]);
        }
        out.endObject();
        place.leave();
    }

    /** A response inside a value is its wire form (clause 3.6). */
    void response(ToolResponse response) {
        if (!entered(response)) {
            encoder.opaque(response);
            return;
        }
        object(taken.members(ResponseWire.fields(response)), encoder::value);
        place.leave();
    }

    void plainList(List<?> list, Consumer<Object> write) {
        Object[] items = taken.items(list);
        if (items == null || !counted(place.enterPlain(list))) {
            encoder.opaque(list);
            return;
        }
        Form out = encoder.out();
        out.beginList();
        for (int i = 0; i < items.length; i++) {
            place.index(i);
            write.accept(items[i]);
        }
        out.endList();
        place.leave();
    }

    /** A map of plain JSON; where its keys are not plain it is written as any other map. */
    void plainMap(Map<?, ?> map, Consumer<Object> write, boolean loneSurrogatesInKeys) {
        Object[] members = taken.members(map);
        if (members == null || !counted(place.enterPlain(map))) {
            encoder.opaque(map);
            return;
        }
        boolean strings = true;
        boolean lone = false;
        for (int i = 0; i < members.length; i += 2) {
            strings &= members[i] instanceof String;
            lone |= members[i] instanceof String key && Surrogates.firstLone(key) >= 0;
        }
        if (strings && (!lone || loneSurrogatesInKeys)) {
            object(members, write);
        } else {
            pairs(members, strings, write);
        }
        place.leave();
    }
}
