// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Portable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How a host and a server begin: with a session, or without one by the revision that knows none (clause 14.19). */
final class Beginning {

    /** The revision of the protocol that is offered. */
    private static final String OFFERED = "2025-11-25";

    private static final Set<String> REVISIONS = Set.of("2024-11-05", "2025-03-26", "2025-06-18", OFFERED);
    private static final int MOST_SAID = 1_000;

    private Beginning() {}

    /**
     * Agrees upon a revision.
     *
     * @throws Unreachable there is none that both speak
     */
    static void of(Connection connection, Asking ask) throws Unreachable, InterruptedException {
        Map<String, ?> info = Map.of("name", "isonomy", "version", version());
        Map<String, Object> reply = ask.reply(
                "initialize", Map.of("protocolVersion", OFFERED, "capabilities", Map.of(), "clientInfo", info));
        if (reply.get("error") instanceof Map) {
            connection.beStateless(Stateless.meta(info));
            Map<?, ?> found = discovered(ask);
            if (found == null) {
                throw Listing.refusal(reply, "initialize");
            }
            if (tellsOfChanges(found)) {
                connection.subscribe(ask.left());
            }
        } else {
            Object revision = Listing.result(reply, "initialize").get("protocolVersion");
            if (!(revision instanceof String known) || !REVISIONS.contains(known)) {
                throw new Unreachable(cut("it speaks the revision " + json(revision)));
            }
            connection.begin(known, ask.left());
        }
    }

    /** What a server tells of itself that speaks the revision without sessions; of another, null. */
    private static Map<?, ?> discovered(Asking ask) throws InterruptedException {
        try {
            Map<?, ?> found = ask.result("server/discover", Map.of());
            boolean speaks = found.get("supportedVersions") instanceof List<?> versions
                    && versions.contains(Stateless.REVISION);
            return speaks ? found : null;
        } catch (Unreachable either) {
            return null;
        }
    }

    private static boolean tellsOfChanges(Map<?, ?> found) {
        return found.get("capabilities") instanceof Map<?, ?> capabilities
                && capabilities.get("tools") instanceof Map<?, ?> tools
                && Boolean.TRUE.equals(tools.get("listChanged"));
    }

    private static String json(Object value) {
        return value instanceof String text
                ? Portable.quoted(text)
                : new String(Portable.encodePlain(value), StandardCharsets.UTF_8);
    }

    private static String cut(String said) {
        return said.length() > MOST_SAID ? said.substring(0, MOST_SAID) : said;
    }

    private static String version() {
        String version = Beginning.class.getPackage().getImplementationVersion();
        return version == null ? "0" : version;
    }
}
