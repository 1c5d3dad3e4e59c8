// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Misuse;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the parameters of a method: what the model gives, what the host gives, and the context. */
final class MethodParameters {

    private final Method method;
    private final Forms forms = new Forms();
    private final List<Member> members = new ArrayList<>();
    private final Map<String, InjectedParameter> injected = new LinkedHashMap<>();
    private final List<ParameterSource> sources = new ArrayList<>();
    private boolean haveContext;

    /** @throws Misuse a parameter has no name, or a type without a JSON form */
    MethodParameters(Method method) {
        this.method = method;
        for (Parameter parameter : method.getParameters()) {
            sources.add(source(parameter));
        }
    }

    /** The schema of the arguments. */
    Map<String, Object> schema(boolean allowUnknown) {
        Definitions definitions = new Definitions();
        Map<String, Object> schema = RecordForm.object(members, definitions);
        if (allowUnknown) {
            schema.put("additionalProperties", true);
        }
        return definitions.completed(schema);
    }

    /** The injected parameters by their names. */
    Map<String, InjectedParameter> injected() {
        return injected;
    }

    /** Whether the call's context is among them. */
    boolean haveContext() {
        return haveContext;
    }

    /** Where the values come from, in the order of the parameters. */
    ParameterSource[] sources() {
        return sources.toArray(ParameterSource[]::new);
    }

    private ParameterSource source(Parameter parameter) {
        if (parameter.getType() == ToolContext.class) {
            haveContext = true;
            return (arguments, invocation) -> invocation.context();
        }
        JavaType type = JavaType.of(parameter.getParameterizedType());
        Injected host = parameter.getAnnotation(Injected.class);
        ToolParam note = parameter.getAnnotation(ToolParam.class);
        if (host != null) {
            return fromHost(parameter, type, host);
        }
        String name = note == null || note.name().isEmpty() ? nameInSource(parameter, "@ToolParam") : note.name();
        String place = place(name);
        if (members.stream().anyMatch(member -> member.name().equals(name))) {
            throw new Misuse(place + " has the name of another parameter; give one of them a name of its own");
        }
        Member member = new Member(place, name, type, forms.of(place, type), note);
        members.add(member);
        return (arguments, invocation) -> member.bind(arguments);
    }

    private ParameterSource fromHost(Parameter parameter, JavaType type, Injected host) {
        String name = parameter.isNamePresent() || host.name().isEmpty()
                ? nameInSource(parameter, "@Injected")
                : host.name();
        InjectedParameter mark =
                new InjectedParameter(host.name().isEmpty() ? name : host.name(), host.identity(), host.secret());
        injected.put(name, mark);
        HostValue value = new HostValue(name + " of " + where(), mark, type.raw(), forms.find(type).orElse(null));
        return (arguments, invocation) -> value.in(invocation.injected());
    }

    private String nameInSource(Parameter parameter, String annotation) {
        if (!parameter.isNamePresent()) {
            throw new Misuse("the parameters of " + where() + " have no names;"
                    + " compile it with -parameters, or name each with " + annotation + "(name = ...)");
        }
        return parameter.getName();
    }

    private String place(String name) {
        return "parameter " + name + " of " + where();
    }

    private String where() {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }
}
