// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A method as it is written down: {@code find}, or {@code find(String,int[])}.
 *
 * @param name the method's name
 * @param types what was written for the types of the parameters, without white space and generics; null where only the
 *     name was
 */
record MethodSignature(String name, List<String> types) {

    private static final Pattern WRITTEN = Pattern.compile("([^\\s()#]+)\\s*(?:\\((.*)\\))?");
    private static final Pattern TYPE = Pattern.compile("[^\\s<>,()\\[\\]]+(\\[\\])*");
    private static final Pattern INNERMOST_GENERICS = Pattern.compile("<[^<>]*>");

    /**
     * Reads what stands behind the {@code #}.
     *
     * @param place the whole text, for the misuse
     * @throws Misuse it is no method
     */
    static MethodSignature read(String written, String place) {
        Matcher parts = WRITTEN.matcher(written.strip());
        if (!parts.matches()) {
            throw unreadable(place);
        }
        return new MethodSignature(parts.group(1), parts.group(2) == null ? null : types(parts.group(2), place));
    }

    private static List<String> types(String written, String place) {
        String bare = written.strip();
        String before;
        do {
            before = bare;
            bare = INNERMOST_GENERICS.matcher(before).replaceAll("");
        } while (!bare.equals(before));
        List<String> types = new ArrayList<>();
        if (bare.isEmpty()) {
            return types;
        }
        for (String one : bare.split(",", -1)) {
            String type = one.strip().replace("...", "[]").replaceAll("\\s*\\[\\s*\\]", "[]");
            if (!TYPE.matcher(type).matches()) {
                throw unreadable(place);
            }
            types.add(type);
        }
        return types;
    }

    static Misuse unreadable(String place) {
        return new Misuse("\"" + place + "\" names no method; write CLASS#METHOD or CLASS#METHOD(TYPE,TYPE),"
                + " such as com.example.Prices#find(String,int[])");
    }

    /** Whether a method of that name has these types. */
    boolean fits(Method method) {
        if (types == null) {
            return true;
        }
        Class<?>[] declared = method.getParameterTypes();
        if (declared.length != types.size()) {
            return false;
        }
        Type[] generic = method.getGenericParameterTypes();
        for (int i = 0; i < declared.length; i++) {
            if (!isWritten(types.get(i), declared[i], generic[i])) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWritten(String written, Class<?> type, Type generic) {
        String full = type.getTypeName().replace('$', '.');
        String asked = written.replace('$', '.');
        boolean isVariable = generic instanceof TypeVariable<?> || generic instanceof GenericArrayType;
        // API documentation writes a type variable as it is called.
        return full.equals(asked)
                || full.endsWith("." + asked)
                || isVariable && generic.getTypeName().equals(asked);
    }

    /** A method as it is to be written, its types by simple names. */
    static String of(Method method) {
        List<String> types = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            types.add(simple(type));
        }
        String all = String.join(",", types);
        String written = method.isVarArgs() ? all.substring(0, all.length() - 2) + "..." : all;
        return method.getName() + "(" + written + ")";
    }

    private static String simple(Class<?> type) {
        String full = type.getTypeName();
        return full.substring(full.lastIndexOf('.') + 1).replace('$', '.');
    }
}
