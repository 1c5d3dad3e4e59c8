// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** What revision 2026-07-28, which knows no sessions, wants of every request (clause 14.19). */
final class Stateless {

    static final String REVISION = "2026-07-28";

    private static final String PREFIX = "io.modelcontextprotocol/";
    private static final Pattern PLAIN = Pattern.compile("[!-~]|[!-~][ -~]*[!-~]|");
    private static final Pattern ENCODED = Pattern.compile("=\\?base64\\?.*\\?=");

    private Stateless() {}

    /** The members of {@code _meta} that every request has. */
    static Map<String, Object> meta(Map<String, ?> clientInfo) {
        Map<String, Object> meta = new LinkedHashMap<>();
        meta.put(PREFIX + "protocolVersion", REVISION);
        meta.put(PREFIX + "clientInfo", clientInfo);
        meta.put(PREFIX + "clientCapabilities", Map.of());
        return meta;
    }

    /** The headers of a request beside that of the revision. */
    static Map<String, String> headers(Request request) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Mcp-Method", request.method());
        if (request.params().get("name") instanceof String name) {
            headers.put("Mcp-Name", encoded(name));
        }
        request.headers().forEach((name, value) -> headers.put(name, encoded(value)));
        return headers;
    }

    /** A text as the value of a header: as it is, or where that would not arrive so, in base64. */
    static String encoded(String text) {
        if (PLAIN.matcher(text).matches() && !ENCODED.matcher(text).matches()) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return "=?base64?" + Base64.getEncoder().encodeToString(bytes) + "?=";
    }
}
