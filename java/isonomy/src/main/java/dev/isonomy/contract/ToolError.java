// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The error of a failed tool call (clause 4). Immutable; {@code details} is the tool's own object and is not copied.
 *
 * @param kind what sort of failure it is
 * @param message what went wrong, never blank: it falls back to the type, and to the kind where there is none
 * @param effect whether the body may have run
 * @param language where the error was made, see {@link Language}
 * @param type the exception class in its own language, or null where there was no exception
 * @param code the tool's own code, or null
 * @param retryable the tool's own hint, or null where it gave none
 * @param retryAfterMs the tool's own hint in milliseconds, not negative, or null
 * @param details structured data, any portable value, or null
 * @param causes the chain without the error itself, outermost first, at most 16
 * @param trace the formatted trace of the language of origin, or null; private to operators
 */
public record ToolError(
        ErrorKind kind,
        String message,
        Effect effect,
        String language,
        String type,
        String code,
        Boolean retryable,
        Long retryAfterMs,
        Object details,
        List<Cause> causes,
        String trace) {

    /** Checks and cleans the fields; a message is cut later, by the host, after redaction (clause 10.6). */
    public ToolError {
        Misuse.required(kind, "the kind of an error");
        Misuse.required(effect, "the effect of an error");
        Misuse.requiredText(language, "the language of an error");
        type = type == null || ErrorText.isBlank(type) ? null : ErrorText.wellFormed(type);
        message = ErrorText.clean(message, type == null ? kind.wire() : type);
        if (retryAfterMs != null && retryAfterMs < 0) {
            throw new Misuse("retryAfterMs is " + retryAfterMs + "; give milliseconds from 0, or null");
        }
        causes = ErrorInfo.firstLinks(causes);
        trace = trace == null ? null : ErrorText.wellFormed(trace);
    }

    /** Whether a text is no message: empty, or white space as Unicode defines it and nothing else (clause 4.3). */
    public static boolean isBlank(String text) {
        return ErrorText.isBlank(text);
    }

    /** The message that a model is shown (clause 4.14). */
    public String publicMessage(Unexpected unexpected) {
        return kind == ErrorKind.EXCEPTION && unexpected == Unexpected.TYPE && type != null ? type : message;
    }

    /** The fields of the public view, which is for models (clause 4.14), in the form of clause 4.1. */
    public Map<String, Object> publicFields(Unexpected unexpected) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("kind", kind.wire());
        fields.put("message", publicMessage(unexpected));
        if (code != null) {
            fields.put("code", code);
        }
        if (retryable != null) {
            fields.put("retryable", retryable);
        }
        if (retryAfterMs != null) {
            fields.put("retry_after_ms", retryAfterMs);
        }
        return fields;
    }

    /** A builder of an error made in Java with effect {@code possible}. */
    public static Builder builder(ErrorKind kind, String message) {
        return new Builder(kind, message);
    }

    /** A builder that starts from this error. */
    public Builder toBuilder() {
        Builder builder = new Builder(kind, message);
        builder.effect = effect;
        builder.language = language;
        builder.type = type;
        builder.code = code;
        builder.retryable = retryable;
        builder.retryAfterMs = retryAfterMs;
        builder.details = details;
        builder.causes = causes;
        builder.trace = trace;
        return builder;
    }

    /** Collects the fields of a {@link ToolError}. Not for use by several threads. */
    public static final class Builder {
        private ErrorKind kind;
        private String message;
        private Effect effect = Effect.POSSIBLE;
        private String language = Language.JAVA;
        private String type;
        private String code;
        private Boolean retryable;
        private Long retryAfterMs;
        private Object details;
        private List<Cause> causes = List.of();
        private String trace;

        private Builder(ErrorKind kind, String message) {
            this.kind = kind;
            this.message = message;
        }

        /** Sets the kind. */
        public Builder kind(ErrorKind kind) {
            this.kind = kind;
            return this;
        }

        /** Sets the message. */
        public Builder message(String message) {
            this.message = message;
            return this;
        }

        /** Sets the effect. */
        public Builder effect(Effect effect) {
            this.effect = effect;
            return this;
        }

        /** Sets the language of origin. */
        public Builder language(String language) {
            this.language = language;
            return this;
        }

        /** Sets the exception class. */
        public Builder type(String type) {
            this.type = type;
            return this;
        }

        /** Sets the tool's own code. */
        public Builder code(String code) {
            this.code = code;
            return this;
        }

        /** Sets the tool's own hint; null leaves it unset. */
        public Builder retryable(Boolean retryable) {
            this.retryable = retryable;
            return this;
        }

        /** Sets the tool's own hint in milliseconds; null leaves it unset. */
        public Builder retryAfterMs(Long retryAfterMs) {
            this.retryAfterMs = retryAfterMs;
            return this;
        }

        /** Sets structured data; null leaves it unset. */
        public Builder details(Object details) {
            this.details = details;
            return this;
        }

        /** Sets the chain of causes. */
        public Builder causes(List<Cause> causes) {
            this.causes = causes;
            return this;
        }

        /** Sets the formatted trace. */
        public Builder trace(String trace) {
            this.trace = trace;
            return this;
        }

        /** The error. */
        public ToolError build() {
            return new ToolError(
                    kind, message, effect, language, type, code, retryable, retryAfterMs, details, causes, trace);
        }
    }
}
