// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.Arrays;

/**
 * Where an encoder stands: the containers around the value, outermost first, and in each the key or index of the
 * value. It names the place (clause 5.27) and knows cycles and depth (clause 5.26).
 */
final class Place {
    /** How many containers may be in each other. */
    static final int MAX_DEPTH = 128;

    /** Stands for the place of an element of a set, or of a key or value of a map with keys of other kinds. */
    private static final Object ANYWHERE = new Object();

    private Object[] containers = new Object[8];
    private Object[] keys = new Object[8];
    private int[] indices = new int[8];
    private int depth;

    /** Goes into a container; false, and nothing changed, where it is too deep or around itself already. */
    boolean enter(Object container) {
        return enter(container, MAX_DEPTH);
    }

    /** Goes into a container of plain JSON, which may be as deep as it can be read (clause 5.28). */
    boolean enterPlain(Object container) {
        return enter(container, JsonReader.MAX_NESTING);
    }

    private boolean enter(Object container, int maxDepth) {
        if (depth >= maxDepth) {
            return false;
        }
        for (int i = 0; i < depth; i++) {
            if (containers[i] == container) {
                return false;
            }
        }
        if (depth == containers.length) {
            containers = Arrays.copyOf(containers, depth * 2);
            keys = Arrays.copyOf(keys, depth * 2);
            indices = Arrays.copyOf(indices, depth * 2);
        }
        containers[depth++] = container;
        return true;
    }

    /** How many containers it is in. */
    int depth() {
        return depth;
    }

    /** The container that is at a depth, from 0. */
    Object container(int at) {
        return containers[at];
    }

    void leave() {
        containers[--depth] = null;
    }

    void index(int index) {
        keys[depth - 1] = null;
        indices[depth - 1] = index;
    }

    void key(String key) {
        keys[depth - 1] = key;
    }

    void anywhere() {
        keys[depth - 1] = ANYWHERE;
    }

    /** The path of the value, for example {@code $.rows[2]["unit price"]}. */
    String path() {
        StringBuilder out = new StringBuilder("$");
        for (int i = 0; i < depth; i++) {
            if (keys[i] == null) {
                out.append('[').append(indices[i]).append(']');
            } else if (keys[i] == ANYWHERE) {
                out.append("{}");
            } else {
                appendKey(out, (String) keys[i]);
            }
        }
        return out.toString();
    }

    static void appendKey(StringBuilder out, String key) {
        if (isName(key)) {
            out.append('.').append(key);
        } else {
            out.append('[').append(Portable.jsonString(key)).append(']');
        }
    }

    private static boolean isName(String key) {
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
            if (!letter && (i == 0 || c < '0' || c > '9')) {
                return false;
            }
        }
        return !key.isEmpty();
    }
}
