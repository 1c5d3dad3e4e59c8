// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Outcome;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Map;

/** A method as a tool, with a schema derived from its parameters. */
final class MethodTool implements BoundTool {

    /** What models' APIs take as a name at most. */
    private static final int LONGEST_NAME = 64;

    private final ToolSpec spec;
    private final Arguments arguments;
    private final ParameterSource[] sources;
    private final MethodHandle body;
    private final boolean wantsContext;

    private MethodTool(Method method, Object instance, MethodParameters parameters, ToolSpec spec) {
        this.spec = spec;
        String place = "tool \"" + spec.name() + "\"";
        JsonSchema schema = JsonSchema.of(place, spec.inputSchema());
        this.arguments = new Arguments(place, schema, spec.injected());
        this.sources = parameters.sources();
        this.wantsContext = parameters.haveContext();
        this.body = body(method, instance, sources.length);
    }

    /**
     * A method that tells of itself.
     *
     * @param instance what the method is called on, null for a static one
     * @throws Misuse the method cannot be a tool
     */
    static MethodTool of(Method method, Object instance) {
        Class<?> owner = instance == null ? method.getDeclaringClass() : instance.getClass();
        MethodParameters parameters = new MethodParameters(method, owner, MethodParameters::fromSource, null);
        Tool note = MethodSearch.annotation(method);
        return new MethodTool(method, instance, parameters, spec(method.getName(), note, parameters));
    }

    /**
     * A method that was named by text, and may be anybody's.
     *
     * @param owner the class that was named
     * @param instance as above
     * @throws Misuse the method cannot be a tool
     */
    static MethodTool of(Method method, Class<?> owner, Object instance, ToolReference said) {
        Tool note = MethodSearch.annotation(method);
        MethodParameters.Naming naming =
                note == null ? MethodParameters.fromClassFile(method) : MethodParameters::fromSource;
        MethodParameters parameters = new MethodParameters(method, owner, naming, said.parameters());
        String name = note == null ? qualified(owner, method) : method.getName();
        ToolSpec own = spec(name, note, parameters);
        ToolSpec spec = new ToolSpec(
                said.name() == null ? own.name() : said.name(),
                said.description() == null ? own.description() : said.description(),
                own.inputSchema(),
                own.injected(),
                own.version(),
                own.maxParallel(),
                own.deadline(),
                own.language(),
                own.server());
        return new MethodTool(method, instance, parameters, spec);
    }

    /** {@code LocalDate_parse}: tells the methods of a library apart, and is a name that models' APIs take. */
    private static String qualified(Class<?> owner, Method method) {
        String name = (owner.getSimpleName() + "_" + method.getName()).replaceAll("[^A-Za-z0-9_-]", "_");
        return name.length() <= LONGEST_NAME ? name : name.substring(name.length() - LONGEST_NAME);
    }

    private static ToolSpec spec(String name, Tool note, MethodParameters parameters) {
        if (note == null) {
            return new ToolSpec(
                    name, "", parameters.schema(false), parameters.injected(), null, 0, null, "java", null);
        }
        return new ToolSpec(
                note.name().isEmpty() ? name : note.name(),
                note.description(),
                parameters.schema(note.allowUnknown()),
                parameters.injected(),
                note.version().isEmpty() ? null : note.version(),
                note.maxParallel(),
                note.deadlineMs() == 0 ? null : Duration.ofMillis(note.deadlineMs()),
                "java",
                null);
    }

    @Override
    public ToolSpec spec() {
        return spec;
    }

    @Override
    public boolean wantsContext() {
        return wantsContext;
    }

    @Override
    public Outcome invoke(Invocation invocation) {
        Object[] values;
        try {
            values = values(Boundary.read(arguments, invocation), invocation);
        } catch (Arguments.Refused refused) {
            return refused.outcome();
        } catch (HostValue.Missing missing) {
            return missing.outcome();
        }
        return Boundary.call(body, values, invocation.passing());
    }

    private Object[] values(Map<String, Object> given, Invocation invocation)
            throws Arguments.Refused, HostValue.Missing {
        Object[] values = new Object[sources.length];
        Unreadable unreadable = null;
        for (int i = 0; i < sources.length; i++) {
            try {
                values[i] = sources[i].value(given, invocation);
            } catch (Unreadable one) {
                unreadable = one.after(unreadable);
            }
        }
        if (unreadable != null) {
            throw new Arguments.Refused(unreadable.violations());
        }
        return values;
    }

    private static MethodHandle body(Method method, Object instance, int parameters) {
        try {
            // Public methods of classes that are not public are common in applications and tests.
            method.setAccessible(true);
            MethodHandle handle = MethodHandles.lookup().unreflect(method).asFixedArity();
            if (!Modifier.isStatic(method.getModifiers())) {
                handle = handle.bindTo(instance);
            }
            return handle.asSpreader(Object[].class, parameters)
                    .asType(MethodType.methodType(Object.class, Object[].class));
        } catch (IllegalAccessException | RuntimeException closed) {
            Class<?> type = method.getDeclaringClass();
            boolean isPublic = Modifier.isPublic(type.getModifiers());
            throw new Misuse("the method " + type.getName() + "#" + MethodSignature.of(method)
                    + " cannot be called from here: its class is "
                    + (isPublic ? "in a package that its module does not export" : "not public")
                    + "; name a method of a public class or interface, or call it from a method of your own");
        }
    }
}
