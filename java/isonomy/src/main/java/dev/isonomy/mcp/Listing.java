// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Canonical;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.ToolError;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a server tells of its tools (clause 14.16). */
final class Listing {

    static final int MOST_TOOLS = 10_000;
    private static final int MOST_PAGES = 1_000;
    private static final int SHOWN = 200;
    private static final int MOST_SAID = 1_000;

    private Listing() {}

    /** Sends a request and gives its result. */
    @FunctionalInterface
    interface Ask {
        Map<?, ?> result(String method, Map<String, ?> params) throws Unreachable, InterruptedException;
    }

    /**
     * The result in the reply to a request that is no call of a tool.
     *
     * @throws Unreachable there is none
     */
    static Map<?, ?> result(Map<String, Object> reply, String method) throws Unreachable {
        if (reply.get("error") == null && reply.get("result") instanceof Map<?, ?> result) {
            return result;
        }
        throw refusal(reply, method);
    }

    /** Says that there is no result in the reply to such a request. */
    static Unreachable refusal(Map<String, Object> reply, String method) {
        String said = reply.get("error") instanceof Map<?, ?> error && error.get("message") instanceof String message
                ? ": " + message
                : "";
        String reason = "it does not answer " + method + " as it should" + said;
        return new Unreachable(reason.length() > MOST_SAID ? reason.substring(0, MOST_SAID) : reason);
    }

    /**
     * The tools of all pages by their names, in order, as the server tells them.
     *
     * @throws Unreachable there are too many, or the pages come round again
     */
    static Map<String, Map<?, ?>> tools(Ask ask, ServerLog log) throws Unreachable, InterruptedException {
        Map<String, Map<?, ?>> tools = new LinkedHashMap<>();
        Map<String, ?> params = Map.of();
        Set<String> seen = new HashSet<>();
        while (true) {
            Map<?, ?> page = ask.result("tools/list", params);
            for (Object entry : page.get("tools") instanceof List<?> entries ? entries : List.of()) {
                add(tools, entry, log);
            }
            if (tools.size() > MOST_TOOLS) {
                throw new Unreachable("it offers more than " + MOST_TOOLS + " tools");
            }
            Object cursor = page.get("nextCursor");
            if (cursor == null) {
                return tools;
            }
            // a cursor may be as long as a message
            if (!seen.add(Canonical.digest(cursor)) || seen.size() > MOST_PAGES) {
                throw new Unreachable("the pages of its tools have no end");
            }
            params = Map.of("cursor", cursor);
        }
    }

    private static void add(Map<String, Map<?, ?>> tools, Object entry, ServerLog log) {
        if (!(entry instanceof Map<?, ?> told)
                || !(told.get("name") instanceof String name)
                || ToolError.isBlank(name)) {
            log.warn("a tool without a name is left out");
        } else if (tools.putIfAbsent(name, told) != null) {
            log.warn("a second tool of the name "
                    + Portable.quoted(name.length() > SHOWN ? name.substring(0, SHOWN) : name) + " is left out");
        }
    }
}
