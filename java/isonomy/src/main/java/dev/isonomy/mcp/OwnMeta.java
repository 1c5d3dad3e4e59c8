// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Portable;
import dev.isonomy.contract.PortableException;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.Wire;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What servers of ours tell in {@code _meta} beside what others do, so that a response is the same behind them (clause
 * 14.28). What cannot be read says nothing and stays where it is.
 */
final class OwnMeta {

    private static final String ERROR = "dev.isonomy/error";
    private static final String RESPONSE = "dev.isonomy/response";
    private static final String ADDED = "added";
    private static final String RESULT = "result";
    private static final String META = "meta";
    private static final Set<String> OF_A_FAILURE = Set.of(ADDED, META);
    private static final Set<String> OF_A_SUCCESS = Set.of(ADDED, RESULT, META);

    /** The error of a failure, null where there is none. */
    final ToolError error;
    /** How many blocks at the beginning are no content. */
    final int added;
    /** Whether {@link #result} is told. */
    final boolean hasResult;
    final Object result;
    final Map<String, Object> meta;
    /** The response that was told, as JSON; null where none was read. */
    final Map<?, ?> told;

    private OwnMeta(ToolError error, Map<?, ?> response, Map<String, Object> meta, Map<?, ?> told) {
        this.error = error;
        this.added = response.containsKey(ADDED) ? Math.toIntExact((Long) response.get(ADDED)) : 0;
        this.hasResult = response.containsKey(RESULT);
        this.result = response.get(RESULT);
        this.meta = meta;
        this.told = told;
    }

    /**
     * Reads the meta of a result.
     *
     * @param told plain values
     * @param blocks how many there are
     */
    static OwnMeta of(Map<String, Object> told, boolean isError, int blocks) {
        Map<String, Object> rest = new LinkedHashMap<>(told);
        ToolError error = isError ? error(told.get(ERROR)) : null;
        if (error != null) {
            rest.remove(ERROR);
        }
        Map<?, ?> response = response(told.get(RESPONSE), isError ? OF_A_FAILURE : OF_A_SUCCESS, blocks);
        if (response == null) {
            return new OwnMeta(error, Map.of(), rest, null);
        }
        rest.remove(RESPONSE);
        Map<String, Object> meta = response.containsKey(META) ? members(response.get(META)) : rest;
        return new OwnMeta(error, response, meta, (Map<?, ?>) told.get(RESPONSE));
    }

    private static ToolError error(Object told) {
        try {
            return told == null ? null : Wire.readError(told);
        } catch (PortableException none) {
            return null;
        }
    }

    /** The members as values, null where they are not as they have to be. */
    private static Map<?, ?> response(Object told, Set<String> allowed, int blocks) {
        if (!(told instanceof Map<?, ?> map) || !allowed.containsAll(map.keySet())) {
            return null;
        }
        boolean isCount = !map.containsKey(ADDED)
                || map.get(ADDED) instanceof Long count && count >= 0 && count <= blocks;
        if (!isCount || map.containsKey(META) && !(map.get(META) instanceof Map)) {
            return null;
        }
        Map<Object, Object> values = new LinkedHashMap<>();
        try {
            map.forEach((name, value) -> values.put(
                    name,
                    name.equals(META) ? portable(members(value)) : Portable.ofPlain(value)));
        } catch (PortableException none) {
            return null;
        }
        return values;
    }

    /** Meta itself is no value: what looks like a tag there is a member. */
    private static Map<String, Object> portable(Map<String, Object> meta) {
        Map<String, Object> values = new LinkedHashMap<>();
        meta.forEach((name, value) -> values.put(name, Portable.ofPlain(value)));
        return values;
    }

    /** The members of an object; its keys are texts. */
    static Map<String, Object> members(Object told) {
        Map<String, Object> members = new LinkedHashMap<>();
        ((Map<?, ?>) told).forEach((name, value) -> members.put((String) name, value));
        return members;
    }
}
