// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Block;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Language;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Returned;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolSuccess;
import dev.isonomy.tools.OutputSchema;
import java.math.BigInteger;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What the reply to one {@code tools/call} becomes (clauses 14.1 to 14.7, 14.22 and 14.28). */
final class Replies {

    static final String VIOLATIONS = "dev.isonomy/output_violations";
    private static final String NO_TEXT = "the server gave no text for this failure";
    private static final String MALFORMED = "malformed";
    private static final String MALFORMED_REPLY = "the reply is malformed: ";

    private Replies() {}

    /**
     * The outcome of a call from the JSON-RPC response to it.
     *
     * @param reply plain JSON values that nobody changes
     * @param output the tool's promise about its structured content, or null
     */
    static Outcome read(Map<String, Object> reply, OutputSchema output) {
        Object error = reply.get("error");
        if (error != null) {
            return error instanceof Map<?, ?> told ? ofError(told) : malformed(reply, "its error is no object");
        }
        if (!reply.containsKey("result")) {
            return malformed(reply, "it has neither a result nor an error");
        }
        if (!(reply.get("result") instanceof Map<?, ?> result)) {
            return malformed(reply, "its result is no object");
        }
        Object type = result.get("resultType");
        if ("input_required".equals(type)) {
            return inputRequired(result.get("inputRequests"));
        }
        if (type != null && !"complete".equals(type)) {
            return malformed(reply, "its resultType is not known");
        }
        Object isError = result.get("isError");
        if (isError != null && !(isError instanceof Boolean)) {
            return malformed(reply, "isError is no boolean");
        }
        return Boolean.TRUE.equals(isError) ? failure(result) : new Returned(success(result, output));
    }

    /** What a reply becomes that cannot be read (clause 14.22). */
    static Settled unreadable() {
        return settled(ErrorKind.PROTOCOL, MALFORMED_REPLY + "it is no JSON object", Effect.POSSIBLE, null);
    }

    /** What this side decides about a call of a server. */
    static Settled settled(ErrorKind kind, String message, Effect effect, Object details) {
        return settled(kind, message, effect, null, details);
    }

    private static Settled settled(ErrorKind kind, String message, Effect effect, String code, Object details) {
        return new Settled(ToolError.builder(kind, message)
                .effect(effect)
                .language(Language.MCP)
                .code(code)
                .details(details)
                .build());
    }

    private static ToolSuccess success(Map<?, ?> result, OutputSchema output) {
        List<Block> content = content(result.get("content"));
        Object structured = result.get("structuredContent");
        OwnMeta own = OwnMeta.of(meta(result), false, content.size());
        Object value = structured == null && content.stream().anyMatch(Block::isText) ? text(content) : structured;
        Map<String, Object> meta = own.meta;
        if (own.told != null) { // structured content is that of the response, whatever is told of it
            structured = own.told.containsKey("result") ? own.told.get("result") : value;
        }
        boolean hasBeenJudged = own.told != null && meta.containsKey(VIOLATIONS);
        List<Map<String, Object>> violations =
                output == null || hasBeenJudged ? List.of() : output.violations(structured);
        if (!violations.isEmpty()) {
            meta = new LinkedHashMap<>(meta);
            meta.put(VIOLATIONS, violations);
        }
        return new ToolSuccess(own.hasResult ? own.result : value, own(content, own), meta);
    }

    private static Outcome failure(Map<?, ?> result) {
        List<Block> content = content(result.get("content"));
        OwnMeta own = OwnMeta.of(meta(result), true, content.size());
        if (own.error != null) { // of whatever kind, decided by the runtime over there
            return new Settled(own.error, own(content, own), own.meta, true);
        }
        ToolError error = ToolError.builder(ErrorKind.TOOL_ERROR, textOr(text(content), NO_TEXT))
                .language(Language.MCP)
                .details(result.get("structuredContent"))
                .build();
        return new Returned(new ToolFailure(error, own(content, own), own.meta));
    }

    /** The blocks that are content, not what a server of ours put before them. */
    private static List<Block> own(List<Block> content, OwnMeta own) {
        return content.subList(own.added, content.size());
    }

    private static String text(List<Block> content) {
        return content.stream()
                .filter(Block::isText)
                .map(block -> (String) block.fields().get("text"))
                .collect(Collectors.joining("\n"));
    }

    private static List<Block> content(Object told) {
        if (told == null) {
            return List.of();
        }
        return told instanceof List<?> items ? items.stream().map(Replies::block).toList() : List.of(noBlock(told));
    }

    private static Block block(Object item) {
        if (!(item instanceof Map<?, ?> told) || !(told.get("type") instanceof String type)) {
            return noBlock(item);
        }
        Map<String, Object> fields = OwnMeta.members(told);
        fields.remove("type");
        return new Block(type, fields);
    }

    private static Block noBlock(Object item) {
        return new Block(MALFORMED, Collections.singletonMap("value", item));
    }

    private static Map<String, Object> meta(Map<?, ?> result) {
        return result.get("_meta") instanceof Map<?, ?> meta ? OwnMeta.members(meta) : Map.of();
    }

    private static Settled ofError(Map<?, ?> error) {
        String message = error.get("message") instanceof String said ? said : "";
        Object code = error.get("code");
        Map<String, Object> details = new LinkedHashMap<>();
        for (String name : List.of("code", "data")) {
            if (error.get(name) != null) {
                details.put(name, error.get(name));
            }
        }
        return settled(
                ErrorKind.PROTOCOL,
                textOr(message, "the server answered with an error"),
                Effect.POSSIBLE,
                code instanceof String || code instanceof Long || code instanceof BigInteger ? code.toString() : null,
                details.isEmpty() ? null : details);
    }

    private static Settled inputRequired(Object asked) {
        return settled(
                ErrorKind.PROTOCOL,
                "the server asks for input, which a tool call cannot give",
                Effect.POSSIBLE,
                "input_required",
                asked == null ? null : Map.of("inputRequests", asked));
    }

    private static Settled malformed(Map<String, Object> reply, String reason) {
        return settled(
                ErrorKind.PROTOCOL, MALFORMED_REPLY + reason, Effect.POSSIBLE, Map.of("reply", reply));
    }

    private static String textOr(String text, String otherwise) {
        return ToolError.isBlank(text) ? otherwise : text;
    }
}
