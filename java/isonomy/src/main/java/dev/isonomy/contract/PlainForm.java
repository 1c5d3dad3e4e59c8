// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values as a model reads them: a string raw, all else compact JSON with tags in plain form (clauses 11.2, 11.3). */
final class PlainForm {
    private PlainForm() {}

    static String text(Object value) {
        if (value instanceof String text) {
            return ErrorText.wellFormed(text);
        }
        JsonForm portable = new JsonForm();
        new Encoder(portable, false, true).value(value);
        Object plain = of(JsonReader.plain(portable.toBytes()));
        JsonForm out = new JsonForm();
        new Encoder(out, false, true).plain(plain);
        return new String(out.toBytes(), StandardCharsets.UTF_8);
    }

    private static Object of(Object json) {
        if (json instanceof List<?> list) {
            List<Object> items = new ArrayList<>(list.size());
            list.forEach(item -> items.add(of(item)));
            return items;
        }
        if (!(json instanceof Map<?, ?> map)) {
            return json;
        }
        if (map.size() == 1) {
            Map.Entry<?, ?> only = map.entrySet().iterator().next();
            if (only.getKey() instanceof String key && key.startsWith(Tags.PREFIX)) {
                return ofTag(key, only.getValue(), map);
            }
        }
        Map<Object, Object> members = new LinkedHashMap<>();
        map.forEach((key, value) -> members.put(key, of(value)));
        return members;
    }

    /** A tag in its stated form, also where only the other language can hold it; any other one as it is. */
    private static Object ofTag(String key, Object payload, Map<?, ?> asItIs) {
        if (key.equals(Tags.STR)) {
            String text = TagForms.replacedSurrogates(payload);
            return text == null ? asItIs : text;
        }
        Object value = Tags.decode(key, payload, 0);
        if (value instanceof Tagged) {
            return TagForms.isStated(key, payload) ? payload : asItIs;
        } else if (value instanceof Opaque opaque) {
            return Collections.singletonMap("opaque", opaque.type());
        } else if (key.equals(Tags.MAP)) {
            return ofMap((List<?>) payload);
        }
        return of(payload);
    }

    private static Object ofMap(List<?> pairs) {
        if (pairs.size() == 1 && pairs.get(0) instanceof List<?> pair && pair.get(0) instanceof String key
                && Surrogates.firstLone(key) < 0) {
            return Collections.singletonMap(key, of(pair.get(1)));
        }
        return of(pairs);
    }
}
