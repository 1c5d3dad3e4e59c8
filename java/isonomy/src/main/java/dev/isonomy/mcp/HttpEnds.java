// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Settled;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLHandshakeException;

/** How a request by HTTP ends that has no reply (clauses 14.11 and 14.13). */
final class HttpEnds {

    /** The server, as messages show it. */
    private final String name;

    HttpEnds(String name) {
        this.name = name;
    }

    /** The connection broke, or was never there. */
    Ended broken(Throwable broken) {
        Throwable cause = broken instanceof CompletionException && broken.getCause() != null ? broken.getCause() : broken;
        boolean isNotSent = cause instanceof ConnectException
                || cause instanceof HttpConnectTimeoutException
                || cause instanceof UnresolvedAddressException
                || cause instanceof SSLHandshakeException;
        return isNotSent ? new Ended.NotSent(reason(cause), false) : new Ended.Lost(broke());
    }

    private static String reason(Throwable cause) {
        String said = cause.getMessage();
        if (cause instanceof ConnectException && said == null) { // as the platform leaves it
            said = cause.getCause() instanceof UnresolvedAddressException
                    ? "Name or service not known"
                    : "Connection refused";
        }
        return said == null || said.isBlank() ? cause.getClass().getSimpleName() : said;
    }

    /** A status that is no success, with that body, null where it is too long: perhaps a JSON-RPC error. */
    Ended status(int status, byte[] body) {
        Map<String, Object> message = body == null ? null : Messages.read(body);
        if (message != null && message.get("error") instanceof Map && message.containsKey("jsonrpc")) {
            return new Ended.Replied(message);
        }
        String said = "the MCP server " + name + " answered with status " + status;
        return new Ended.Lost(lost(said, Map.of("status", (long) status)));
    }

    /** The connection broke. */
    Settled broke() {
        return lost("the connection to the MCP server " + name + " broke", null);
    }

    private static Settled lost(String message, Map<String, Object> details) {
        return Replies.settled(ErrorKind.CONNECTION_LOST, message, Effect.POSSIBLE, details);
    }
}
