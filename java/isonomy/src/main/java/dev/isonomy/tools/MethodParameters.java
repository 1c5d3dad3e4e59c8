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
    private final Class<?> owner;
    private final Naming naming;
    private final List<String> given;
    private final Forms forms = new Forms();
    private final List<Member> members = new ArrayList<>();
    private final Map<String, InjectedParameter> injected = new LinkedHashMap<>();
    private final List<ParameterSource> sources = new ArrayList<>();
    private boolean haveContext;

    /** How a parameter is called that no annotation names. */
    interface Naming {
        /**
         * The name.
         *
         * @throws Misuse there is none
         */
        String of(Parameter parameter, int position);
    }

    /**
     * The parameters of a method.
     *
     * @param owner the class whose method it is, perhaps inherited
     * @param given the names of the parameters that the model gives, or null: they name themselves
     * @throws Misuse a parameter has no name, or a type without a JSON form
     */
    MethodParameters(Method method, Class<?> owner, Naming naming, List<String> given) {
        this.method = method;
        this.owner = owner;
        this.naming = naming;
        this.given = given;
        if (given != null && given.stream().anyMatch(String::isBlank)) {
            throw new Misuse("a parameter of " + where() + " is given a blank name: " + given);
        }
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            sources.add(source(parameters[i], i));
        }
        if (given != null && given.size() != members.size()) {
            throw new Misuse("the model gives " + members.size() + " parameters of " + where() + ", in the order of "
                    + MethodSignature.of(method) + ", and " + given.size() + " names are given: " + given);
        }
    }

    /** Names as the source has them, where the class file says so: who marks a method can see to it. */
    static String fromSource(Parameter parameter, int position) {
        if (!parameter.isNamePresent()) {
            Method method = (Method) parameter.getDeclaringExecutable();
            throw new Misuse("the parameters of " + method.getDeclaringClass().getName() + "." + method.getName()
                    + " have no names; compile it with -parameters, or name each with @ToolParam(name = ...)"
                    + " or @Injected(name = ...)");
        }
        return parameter.getName();
    }

    /** The best names that the class file has, else {@code arg0}, {@code arg1}... */
    static Naming fromClassFile(Method method) {
        List<String> debugging = DebugNames.of(method);
        return (parameter, position) -> parameter.isNamePresent() || debugging.isEmpty()
                ? parameter.getName()
                : debugging.get(position);
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

    private ParameterSource source(Parameter parameter, int position) {
        if (parameter.getType() == ToolContext.class) {
            haveContext = true;
            return (arguments, invocation) -> invocation.context();
        }
        JavaType type = JavaType.of(parameter.getParameterizedType(), owner);
        Injected host = parameter.getAnnotation(Injected.class);
        ToolParam note = parameter.getAnnotation(ToolParam.class);
        if (host != null) {
            return fromHost(parameter, position, type, host);
        }
        String name = name(parameter, position, note);
        String place = place(name);
        if (members.stream().anyMatch(member -> member.name().equals(name))) {
            throw new Misuse(place + " has the name of another parameter; give one of them a name of its own");
        }
        Member member = new Member(place, name, type, forms.of(place, type), note);
        members.add(member);
        return (arguments, invocation) -> member.bind(arguments);
    }

    private String name(Parameter parameter, int position, ToolParam note) {
        if (given != null && members.size() < given.size()) {
            return given.get(members.size());
        }
        return note == null || note.name().isEmpty() ? naming.of(parameter, position) : note.name();
    }

    private ParameterSource fromHost(Parameter parameter, int position, JavaType type, Injected host) {
        String name = parameter.isNamePresent() || host.name().isEmpty()
                ? naming.of(parameter, position)
                : host.name();
        InjectedParameter mark =
                new InjectedParameter(host.name().isEmpty() ? name : host.name(), host.identity(), host.secret());
        injected.put(name, mark);
        HostValue value = new HostValue(name + " of " + where(), mark, type.raw(), forms.find(type).orElse(null));
        return (arguments, invocation) -> value.in(invocation.injected());
    }

    private String place(String name) {
        return "parameter " + name + " of " + where();
    }

    private String where() {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }
}
