// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.util.List;

/** Where in a call's arguments something stands, as text: {@code a.b[0]} (clause 7.8). */
final class ArgumentPath {

    /** The path of the whole. */
    static final String ROOT = "";

    private ArgumentPath() {}

    /** The path of a member of the object at {@code parent}. */
    static String member(String parent, String name) {
        if (isPlain(name)) {
            return parent.isEmpty() ? name : parent + "." + name;
        }
        return parent + "[" + JsonText.of(name) + "]";
    }

    /** The path of an element of the list at {@code parent}. */
    static String element(String parent, int index) {
        return parent + "[" + index + "]";
    }

    /** The path that leads through names ({@code String}) and indexes ({@code Integer}). */
    static String of(List<?> steps) {
        String path = ROOT;
        for (Object step : steps) {
            path = step instanceof Integer index ? element(path, index) : member(path, (String) step);
        }
        return path;
    }

    /** What a person reads: the whole is called {@code arguments}. */
    static String shown(String path) {
        return path.isEmpty() ? "arguments" : path;
    }

    private static boolean isPlain(String name) {
        if (name.isEmpty() || !isLetter(name.charAt(0))) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!isLetter(c) && (c < '0' || c > '9')) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
    }
}
