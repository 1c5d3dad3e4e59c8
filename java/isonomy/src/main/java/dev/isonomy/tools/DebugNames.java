// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names that a class file keeps for debuggers: its table of local variables, of which the parameters are the first.
 * Compilers write it as a rule ({@code -g}), of methods that have a body. Reads one class file.
 */
final class DebugNames {

    private final DataInputStream in;
    private final Map<Integer, String> texts = new HashMap<>();

    private DebugNames(InputStream in) {
        this.in = new DataInputStream(new BufferedInputStream(in));
    }

    /** The names of a method's parameters, or an empty list where they are not all known. */
    static List<String> of(Method method) {
        Class<?> type = method.getDeclaringClass();
        String file = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
        try (InputStream in = type.getResourceAsStream(file)) {
            return in == null ? List.of() : names(method, new DebugNames(in).variables(method));
        } catch (IOException unreadable) {
            return List.of();
        }
    }

    private static List<String> names(Method method, Map<Integer, String> variables) {
        List<String> names = new ArrayList<>();
        int slot = Modifier.isStatic(method.getModifiers()) ? 0 : 1;
        for (Class<?> type : method.getParameterTypes()) {
            String name = variables.get(slot);
            if (name == null) {
                return List.of();
            }
            names.add(name);
            slot += type == long.class || type == double.class ? 2 : 1;
        }
        return names;
    }

    /** The variables of a method that live from its first instruction, by their slots. */
    private Map<Integer, String> variables(Method method) throws IOException {
        in.skipNBytes(8); // magic number and version
        readConstants();
        in.skipNBytes(6); // access, this class, its superclass
        in.skipNBytes(2L * in.readUnsignedShort()); // interfaces
        for (int fields = in.readUnsignedShort(); fields > 0; fields--) {
            in.skipNBytes(6);
            skipAttributes();
        }
        String descriptor = MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                .toMethodDescriptorString();
        for (int methods = in.readUnsignedShort(); methods > 0; methods--) {
            in.skipNBytes(2);
            String name = texts.get(in.readUnsignedShort());
            String type = texts.get(in.readUnsignedShort());
            if (method.getName().equals(name) && descriptor.equals(type)) {
                return ofMethod();
            }
            skipAttributes();
        }
        return Map.of();
    }

    private void readConstants() throws IOException {
        int count = in.readUnsignedShort();
        for (int i = 1; i < count; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1 -> texts.put(i, in.readUTF());
                case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                case 15 -> in.skipNBytes(3);
                case 3, 4, 9, 10, 11, 12, 17, 18 -> in.skipNBytes(4);
                case 5, 6 -> {
                    in.skipNBytes(8);
                    i++; // long and double count twice
                }
                default -> throw new IOException("a constant of an unknown kind: " + tag);
            }
        }
    }

    private Map<Integer, String> ofMethod() throws IOException {
        for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
            String name = texts.get(in.readUnsignedShort());
            int length = in.readInt();
            if ("Code".equals(name)) {
                in.skipNBytes(4); // greatest stack, number of locals
                in.skipNBytes(Integer.toUnsignedLong(in.readInt()));
                in.skipNBytes(8L * in.readUnsignedShort()); // handlers of exceptions
                return ofCode();
            }
            in.skipNBytes(Integer.toUnsignedLong(length));
        }
        return Map.of();
    }

    private Map<Integer, String> ofCode() throws IOException {
        Map<Integer, String> variables = new HashMap<>();
        for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
            String name = texts.get(in.readUnsignedShort());
            int length = in.readInt();
            if (!"LocalVariableTable".equals(name)) {
                in.skipNBytes(Integer.toUnsignedLong(length));
                continue;
            }
            for (int entries = in.readUnsignedShort(); entries > 0; entries--) {
                int start = in.readUnsignedShort();
                in.skipNBytes(2);
                String variable = texts.get(in.readUnsignedShort());
                in.skipNBytes(2);
                int slot = in.readUnsignedShort();
                if (start == 0) {
                    variables.put(slot, variable);
                }
            }
        }
        return variables;
    }

    private void skipAttributes() throws IOException {
        for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
            in.skipNBytes(2);
            in.skipNBytes(Integer.toUnsignedLong(in.readInt()));
        }
    }
}
