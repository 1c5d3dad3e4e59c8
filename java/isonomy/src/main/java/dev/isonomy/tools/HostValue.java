// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.tools;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Settled;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The value that a host gives to an injected parameter (clause 7.13). No message holds a value. */
final class HostValue {

    private static final String ONLY = "value";

    private final String parameter;
    private final InjectedParameter injected;
    private final Class<?> type;
    private final Form form;
    private final JsonSchema schema;

    /**
     * @param type the declared type
     * @param form how a plain value becomes the type, or null where only the type's own objects will do
     */
    HostValue(String parameter, InjectedParameter injected, Class<?> type, Form form) {
        this.parameter = parameter;
        this.injected = injected;
        this.type = type;
        this.form = form;
        this.schema = form == null ? null : JsonSchema.of("parameter " + parameter, Definitions.whole(form));
    }

    /** Thrown where the host lacks a value, or has one of another type. */
    static final class Missing extends Exception {

        private static final long serialVersionUID = 1L;

        Missing(String message) {
            super(message, null, false, false);
        }

        /** How the call ends: the body has not run. */
        Settled outcome() {
            return Settled.of(ErrorKind.INTERNAL, getMessage(), Effect.NONE);
        }
    }

    /** The value as the host has it. */
    static Object named(InjectedParameter injected, String parameter, Map<String, ?> host) throws Missing {
        Object value = host.get(injected.name());
        if (value == null && !host.containsKey(injected.name())) {
            throw new Missing("the host has no value named \"" + injected.name() + "\" for parameter " + parameter);
        }
        return value;
    }

    /** The value among all that the host has, as the declared type. */
    Object in(Map<String, ?> host) throws Missing {
        Object value = named(injected, parameter, host);
        if (value == null && !type.isPrimitive()) {
            return null;
        }
        return MethodType.methodType(type).wrap().returnType().isInstance(value) ? value : converted(value);
    }

    private Object converted(Object value) throws Missing {
        try {
            if (form != null && value != null) {
                List<Foreign> foreign = new ArrayList<>(0);
                // A host's value is any plain value; the reader wants an object around it.
                Object plain = PlainValues.of(new HashMap<>(Map.of(ONLY, value)), foreign).get(ONLY);
                if (foreign.isEmpty() && schema.accepts(plain)) {
                    return form.bind(plain);
                }
            }
        } catch (NotPlain | Unreadable cannotBeRead) {
            // The sentence below says more to the host's author than either of these.
        }
        throw new Missing("the host's value named \"" + injected.name() + "\" cannot be read as " + type.getTypeName()
                + " for parameter " + parameter);
    }
}
