// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.util.List;

/**
 * Tools named by text, as a configuration does: those of a class, or one public method of any library. Immutable.
 *
 * <pre>{@code
 * ToolReference.to("java.time.LocalDate#parse(CharSequence)").named("parse_date").withParameters("text")
 * }</pre>
 *
 * @param target a class ({@code com.example.Prices}), a method of one that has no other of its name
 *     ({@code com.example.Prices#find}), or any method with its parameters' types, simple or in full, generics left out
 *     ({@code com.example.Prices#find(String,int[])})
 * @param name the method's name as a tool, or null: that of its {@code @Tool}, else {@code CLASS_METHOD}
 * @param description what the method does, for the model, or null: what its {@code @Tool} says
 * @param parameters the names of the parameters that a model gives, in order, or null: those of {@code @ToolParam}, of
 *     the class file, else {@code arg0}, {@code arg1}...
 */
public record ToolReference(String target, String name, String description, List<String> parameters) {

    /**
     * Checks the target.
     *
     * @throws Misuse there is none, or something is said of a method and the target is none
     */
    public ToolReference {
        if (target == null || target.isBlank()) {
            throw new Misuse("a tool is named by a class or a method, such as \"com.example.Prices#find\"; got \""
                    + target + "\"");
        }
        target = target.strip();
        boolean ofMethod = name != null || description != null || parameters != null;
        if (ofMethod && target.indexOf('#') < 0) {
            throw new Misuse("a name, a description or parameters are given for \"" + target
                    + "\", which is a class; give them for one method, as CLASS#METHOD");
        }
        parameters = parameters == null ? null : List.copyOf(parameters);
    }

    /** The tools that the text names, as they describe themselves. */
    public static ToolReference to(String target) {
        return new ToolReference(target, null, null, null);
    }

    /** The same method under another name. */
    public ToolReference named(String name) {
        return new ToolReference(target, name, description, parameters);
    }

    /** The same method with another description. */
    public ToolReference described(String description) {
        return new ToolReference(target, name, description, parameters);
    }

    /** The same method with these names of the parameters that a model gives. */
    public ToolReference withParameters(String... parameters) {
        return new ToolReference(target, name, description, List.of(parameters));
    }

    /**
     * The name of the class.
     *
     * @throws Misuse none stands before the {@code #}
     */
    String className() {
        if (!isMethod()) {
            return target;
        }
        String owner = target.substring(0, target.indexOf('#')).strip();
        if (owner.isEmpty()) {
            throw MethodSignature.unreadable(target);
        }
        return owner;
    }

    /** Whether it names one method. */
    boolean isMethod() {
        return target.indexOf('#') >= 0;
    }

    /** What tells the method from the others of its class. */
    MethodSignature signature() {
        return MethodSignature.read(target.substring(target.indexOf('#') + 1), target);
    }
}
