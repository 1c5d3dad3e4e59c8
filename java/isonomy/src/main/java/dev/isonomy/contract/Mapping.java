// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The one mapping from outcomes to responses (clauses 1.4 and 3). Safe for use by several threads. */
public final class Mapping {
    /** What decides an outcome by its class, by name. */
    private static final Map<String, Class<?>> OURS =
            Stream.of(ToolSuccess.class, ToolFailure.class, ToolFailed.class, FailureBuilder.class)
                    .collect(Collectors.toUnmodifiableMap(Class::getName, ours -> ours));

    private Mapping() {}

    /** The response that an outcome means. It depends on nothing but the outcome. */
    public static ToolResponse toResponse(Outcome outcome) {
        if (outcome instanceof Returned returned) {
            return ofValue(returned.value());
        }
        if (outcome instanceof Raised raised) {
            return new ToolFailure(ofException(raised.error()));
        }
        return ((Settled) Misuse.required(outcome, "the outcome")).failure();
    }

    /**
     * The outcome of a body that returned that value: an unfinished {@link FailureBuilder} and a {@link ToolFailed} are
     * the failure they hold (clause 3.2), a response of another class loader is settled (clause 3.10).
     *
     * @throws Misuse that builder cannot be finished
     */
    public static Outcome returned(Object value) {
        if (value instanceof FailureBuilder unfinished) {
            return new Returned(unfinished.build());
        }
        if (value instanceof ToolFailed failed) {
            return new Returned(failed.response());
        }
        return isForeign(value) ? new Settled(fromAnotherLoader(value.getClass())) : new Returned(value);
    }

    /**
     * The outcome of a body that threw: a {@link ToolFailed} is the failure it holds, anything else is raised. Never
     * throws, whatever the exception does.
     */
    public static Outcome thrown(Throwable thrown) {
        Throwable bare = Capture.unwrapped(thrown);
        if (bare instanceof ToolFailed failed) {
            return new Returned(failed.response());
        }
        if (isForeign(bare)) {
            return new Settled(fromAnotherLoader(bare.getClass()));
        }
        return new Raised(Capture.errorInfo(bare));
    }

    private static ToolResponse ofValue(Object value) {
        if (value instanceof ToolSuccess success) {
            return success;
        }
        if (value instanceof ToolFailure failure) {
            return declared(failure);
        }
        Outcome outcome = returned(value);
        if (outcome instanceof Settled settled) {
            return settled.failure();
        }
        return ((Returned) outcome).value() instanceof ToolFailure failure
                ? declared(failure)
                : ToolResponse.success(value);
    }

    /** What a tool declares is its own error; an inner one of another kind is kept in details (clause 3.2). */
    private static ToolFailure declared(ToolFailure failure) {
        ToolError error = failure.error();
        if (error.kind() == ErrorKind.TOOL_ERROR && error.effect() == Effect.POSSIBLE) {
            return failure;
        }
        ToolError own = error.toBuilder()
                .kind(ErrorKind.TOOL_ERROR)
                .effect(Effect.POSSIBLE)
                .details(Map.of("inner", ErrorWire.fields(error.toBuilder().trace(null).build())))
                .build();
        return new ToolFailure(own, failure.content(), failure.meta());
    }

    private static ToolError ofException(ErrorInfo info) {
        return ToolError.builder(ErrorKind.EXCEPTION, info.message())
                .language(info.language())
                .type(info.type())
                .causes(info.causes())
                .trace(info.trace())
                .details(group(info))
                .build();
    }

    private static Map<String, Object> group(ErrorInfo info) {
        if (info.members().isEmpty()) {
            return null;
        }
        List<Object> members = new ArrayList<>();
        for (Cause member : info.members()) {
            members.add(ErrorWire.fields(member));
        }
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("members", members);
        if (info.more() > 0) {
            details.put("more", (long) info.more());
        }
        return details;
    }

    /** What an exception said, of the error that {@link #toResponse} made of it. */
    public static ErrorInfo errorInfo(ToolError error) {
        Object members = null;
        Object more = null;
        if (error.details() instanceof Map<?, ?> details) {
            members = details.get("members");
            more = details.get("more");
        }
        List<Cause> links = new ArrayList<>();
        for (Object member : members instanceof List<?> list ? list : List.of()) {
            Map<?, ?> fields = (Map<?, ?>) member;
            links.add(new Cause(
                    (String) fields.get("type"), (String) fields.get("message"), (String) fields.get("language")));
        }
        return new ErrorInfo(
                error.type(), error.message(), error.causes(), error.trace(), error.language(), links,
                more instanceof Long count ? Math.toIntExact(count) : 0);
    }

    private static boolean isForeign(Object value) {
        if (value == null) {
            return false;
        }
        Class<?> ours = OURS.get(value.getClass().getName());
        return ours != null && ours != value.getClass();
    }

    private static ToolError fromAnotherLoader(Class<?> foreign) {
        return ToolError.builder(
                        ErrorKind.INTERNAL,
                        foreign.getName() + " of the tool came from another class loader;"
                                + " load isonomy once, in a parent of the tool's loader")
                .build();
    }
}
