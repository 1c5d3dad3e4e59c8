// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Collects what a tool says about its failure (clause 2.7); every field but the message is optional. A tool that
 * returns it unfinished fails with what {@link #build} gives (clause 3.2).
 */
public final class FailureBuilder {
    private final ToolError.Builder error;
    private List<Block> content = List.of();
    private Map<String, ?> meta = Map.of();

    FailureBuilder(String message) {
        this.error = ToolError.builder(ErrorKind.TOOL_ERROR, message);
    }

    /** The tool's own code. */
    public FailureBuilder code(String code) {
        error.code(code);
        return this;
    }

    /** The tool's own code as a number; it is kept as its decimal text. */
    public FailureBuilder code(long code) {
        return code(Long.toString(code));
    }

    /** The tool's own code as a number of any size; it is kept as its decimal text. */
    public FailureBuilder code(BigInteger code) {
        return code(Misuse.required(code, "the code of a failure").toString());
    }

    /** Whether the same call may succeed later. */
    public FailureBuilder retryable(boolean retryable) {
        error.retryable(retryable);
        return this;
    }

    /** In how many milliseconds the same call may succeed, from 0. */
    public FailureBuilder retryAfterMs(long milliseconds) {
        error.retryAfterMs(milliseconds);
        return this;
    }

    /** The same as a duration, in whole milliseconds. */
    public FailureBuilder retryAfter(Duration delay) {
        return retryAfterMs(Misuse.required(delay, "the delay of a retry").toMillis());
    }

    /** Structured data, any portable value. */
    public FailureBuilder details(Object details) {
        error.details(details);
        return this;
    }

    /** Blocks for the model. */
    public FailureBuilder content(List<Block> content) {
        this.content = content;
        return this;
    }

    /** Blocks for the model. */
    public FailureBuilder content(Block... content) {
        return content(List.of(content));
    }

    /** Values for the application. */
    public FailureBuilder meta(Map<String, ?> meta) {
        this.meta = meta;
        return this;
    }

    /** The failure, to be returned. */
    public ToolFailure build() {
        return new ToolFailure(error.build(), content, Copies.map(meta, "meta"));
    }

    /** The failure as an exception, to be thrown; it means the same (clause 3.2). */
    public ToolFailed exception() {
        return new ToolFailed(build());
    }
}
