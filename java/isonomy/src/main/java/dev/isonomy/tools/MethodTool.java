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

    private final ToolSpec spec;
    private final Arguments arguments;
    private final ParameterSource[] sources;
    private final MethodHandle body;
    private final boolean wantsContext;

    /**
     * @param instance what the method is called on, null for a static one
     * @throws Misuse the method cannot be a tool
     */
    MethodTool(Method method, Object instance) {
        Tool note = MethodSearch.annotation(method);
        MethodParameters parameters = new MethodParameters(method);
        this.spec = spec(method, note, parameters);
        String place = "tool \"" + spec.name() + "\"";
        JsonSchema schema = JsonSchema.of(place, spec.inputSchema());
        this.arguments = new Arguments(place, schema, spec.injected());
        this.sources = parameters.sources();
        this.wantsContext = parameters.haveContext();
        this.body = body(method, instance, sources.length);
    }

    private static ToolSpec spec(Method method, Tool note, MethodParameters parameters) {
        if (note == null) {
            return new ToolSpec(
                    method.getName(), "", parameters.schema(false), parameters.injected(), null, 0, null, "java", null);
        }
        return new ToolSpec(
                note.name().isEmpty() ? method.getName() : note.name(),
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
            throw new Misuse("the method " + method + " cannot be called from here: " + closed.getMessage()
                    + "; make it public in an open package");
        }
    }
}
