// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.LinkedHashMap;
import java.util.Map;

/** {@code Object}: any JSON value, null included, as plain maps, lists, texts and numbers. */
final class AnyForm implements Form {

    @Override
    public Map<String, Object> schema(Definitions definitions) {
        return new LinkedHashMap<>();
    }

    @Override
    public Object bind(Object value) {
        return value;
    }
}
