// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Errors in the form of clauses 4.1, 4.9 and 4.12. */
final class ErrorWire {
    private static final String DETAILS = "details";

    private ErrorWire() {}

    static Map<String, Object> fields(Cause cause) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", cause.type());
        fields.put("message", cause.message());
        fields.put("language", cause.language());
        return fields;
    }

    /** The error as a map; details stay as they are. */
    static Map<String, Object> fields(ToolError error) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", error.kind().wire());
        fields.put("message", error.message());
        fields.put("effect", error.effect().wire());
        fields.put("language", error.language());
        putSet(fields, "type", error.type());
        putSet(fields, "code", error.code());
        putSet(fields, "retryable", error.retryable());
        putSet(fields, "retry_after_ms", error.retryAfterMs());
        putSet(fields, DETAILS, error.details());
        putSet(fields, "causes", error.causes().isEmpty() ? null : links(error.causes()));
        putSet(fields, "trace", error.trace());
        return fields;
    }

    private static List<Object> links(List<Cause> causes) {
        List<Object> links = new ArrayList<>(causes.size());
        for (Cause cause : causes) {
            links.add(fields(cause));
        }
        return links;
    }

    private static void putSet(Map<String, Object> fields, String name, Object value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    static void write(Encoder encoder, ToolError error) {
        Form out = encoder.out();
        out.beginObject();
        field(out, "kind", error.kind().wire());
        field(out, "message", ErrorText.cut(error.message(), ErrorText.MAX_CROSSING));
        field(out, "effect", error.effect().wire());
        field(out, "language", error.language());
        field(out, "type", error.type());
        field(out, "code", error.code());
        if (error.retryable() != null) {
            out.key("retryable");
            out.bool(error.retryable());
        }
        if (error.retryAfterMs() != null) {
            out.key("retry_after_ms");
            out.integer(error.retryAfterMs());
        }
        if (error.details() != null) {
            out.key(DETAILS);
            encoder.value(error.details());
        }
        links(out, "causes", error.causes());
        if (out instanceof JsonForm json) {
            json.uncounted(() -> field(json, "trace", error.trace())); // clause 4.15
        } else {
            field(out, "trace", error.trace());
        }
        out.endObject();
    }

    static void write(Form out, ErrorInfo info) {
        out.beginObject();
        field(out, "type", info.type());
        field(out, "message", info.message());
        field(out, "language", info.language());
        links(out, "causes", info.causes());
        links(out, "members", info.members());
        if (info.more() > 0) {
            out.key("more");
            out.integer(info.more());
        }
        field(out, "trace", info.trace());
        out.endObject();
    }

    private static void links(Form out, String name, List<Cause> links) {
        if (links.isEmpty()) {
            return;
        }
        out.key(name);
        out.beginList();
        for (Cause link : links) {
            out.beginObject();
            field(out, "type", link.type());
            field(out, "message", link.message());
            field(out, "language", link.language());
            out.endObject();
        }
        out.endList();
    }

    private static void field(Form out, String name, String value) {
        if (value != null) {
            out.key(name);
            out.plainText(value);
        }
    }

    /** Reads an error; unknown fields are ignored, unknown kinds and effects are read as clauses 4.2 and 4.7 say. */
    static ToolError read(Object plain) {
        WireObject object = WireObject.of(plain, "an error");
        String kind = object.text("kind");
        Optional<ErrorKind> known = ErrorKind.fromWire(kind);
        Object details = object.isSet(DETAILS) ? object.portable(DETAILS) : null;
        if (known.isEmpty()) {
            Map<String, Object> original = new LinkedHashMap<>();
            original.put("kind", kind);
            original.put(DETAILS, details);
            details = original;
        }
        return ToolError.builder(known.orElse(ErrorKind.INTERNAL), object.text("message"))
                .effect(Effect.fromWire(object.text("effect")))
                .language(requiredText(object, "language"))
                .type(object.optionalText("type"))
                .code(code(object))
                .retryable(object.optionalBool("retryable"))
                .retryAfterMs(object.isSet("retry_after_ms") ? object.count("retry_after_ms") : null)
                .details(details)
                .causes(readLinks(object, "causes"))
                .trace(object.optionalText("trace"))
                .build();
    }

    static ErrorInfo readInfo(Object plain) {
        WireObject object = WireObject.of(plain, "an error");
        return new ErrorInfo(
                requiredText(object, "type"),
                object.text("message"),
                readLinks(object, "causes"),
                object.optionalText("trace"),
                requiredText(object, "language"),
                readLinks(object, "members"),
                object.isSet("more") ? (int) Math.min(object.count("more"), Integer.MAX_VALUE / 2) : 0);
    }

    /** A number as a code is its decimal text (clause 4.5). */
    private static String code(WireObject object) {
        if (!object.isSet("code")) {
            return null;
        }
        Object code = object.value("code");
        return code instanceof Long || code instanceof BigInteger ? code.toString() : object.text("code");
    }

    private static List<Cause> readLinks(WireObject object, String name) {
        List<Cause> links = new ArrayList<>();
        for (Object item : object.optionalList(name)) {
            WireObject link = WireObject.of(item, "a cause");
            links.add(new Cause(requiredText(link, "type"), link.text("message"), requiredText(link, "language")));
        }
        return links;
    }

    private static String requiredText(WireObject object, String name) {
        String text = object.text(name);
        if (ErrorText.isBlank(text)) {
            throw PortableException.malformed(name + " of an error is blank");
        }
        return text;
    }
}
