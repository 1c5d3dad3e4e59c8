// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

/** What was probably meant by the name of a class that cannot be loaded, and what to do. */
final class MeantClass {

    private MeantClass() {}

    /** The end of a sentence about that name. */
    static String by(ClassLoader loader, String name) {
        int types = name.indexOf('(');
        String dotted = name.replace('/', '.').replace('\\', '.');
        String bare = types < 0 ? dotted.replaceFirst("\\.(java|class)$", "") : dotted;
        if (types < 0 && !bare.equals(name)) {
            return "a class is named, not its file: did you mean \"" + bare + "\"?";
        }
        String nested = nested(loader, bare);
        if (nested != null) {
            return "a nested class is named with $: did you mean \"" + nested + "\"?";
        }
        int dot = bare.lastIndexOf('.', types < 0 ? bare.length() : types);
        if (dot > 0 && (types > 0 || isThere(loader, bare.substring(0, dot)))) {
            return "a method is written CLASS#METHOD or CLASS#METHOD(TYPE,TYPE): did you mean \"" + bare.substring(0, dot)
                    + "#" + bare.substring(dot + 1) + "\"?";
        }
        return "check its name and the class path";
    }

    /** The class that is meant where a nested one is written as in a source file, or null. */
    private static String nested(ClassLoader loader, String name) {
        String changed = name;
        for (int dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
            changed = changed.substring(0, dot) + '$' + changed.substring(dot + 1);
            if (isThere(loader, changed)) {
                return changed;
            }
        }
        return null;
    }

    private static boolean isThere(ClassLoader loader, String name) {
        return loader.getResource(name.replace('.', '/') + ".class") != null;
    }
}
