// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the id of a message of which only the two ends are known (clause 14.14). */
final class MessageId {

    /** The bytes at either end in which it is looked for. */
    static final int SCANNED = 65_536;

    /** Characters that are read again at most: many ids may stand at the end, none of which is the message's. */
    private static final int MOST_READ = 16 * SCANNED;

    private static final Pattern LAST = Pattern.compile(",\\s*+\"id\"\\s*+:\\s*+(\\d++)\\s*+(?=[,}])");
    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private final String text;
    private int at;
    private String token;

    private MessageId(String text, int at) {
        this.text = text;
        this.at = at;
    }

    /** The id of a whole message that is broken (clause 14.22), or null. */
    static Long of(byte[] broken) {
        // A line of a log may hold a message as well, and is none.
        if (!Messages.text(Arrays.copyOf(broken, Math.min(broken.length, SCANNED))).stripLeading().startsWith("{")) {
            return null;
        }
        return of(
                Arrays.copyOf(broken, Math.min(broken.length, SCANNED)),
                Arrays.copyOfRange(broken, Math.max(0, broken.length - SCANNED), broken.length));
    }

    /** The id, or null where it is at neither end or is no number. */
    static Long of(byte[] head, byte[] tail) {
        Long found = new MessageId(new String(head, StandardCharsets.ISO_8859_1), 0).inHead();
        return found == null ? inTail(new String(tail, StandardCharsets.ISO_8859_1)) : found;
    }

    private Long inHead() {
        int depth = 0;
        String before = "";
        String earlier = "";
        while (next()) {
            depth += change();
            if (depth == 1 && before.equals(":") && earlier.equals("\"id\"")) {
                return number(token);
            }
            earlier = before;
            before = token;
        }
        return null;
    }

    private static Long inTail(String tail) {
        Matcher found = LAST.matcher(tail);
        int left = MOST_READ;
        while (left > 0 && found.find()) {
            MessageId rest = new MessageId(tail, found.end());
            int depth = 1;
            while (depth > 0 && rest.next()) {
                depth += rest.change();
            }
            if (depth == 0 && !rest.next() && rest.at == tail.length()) {
                return number(found.group(1));
            }
            left -= rest.at - found.end();
        }
        return null;
    }

    private int change() {
        return switch (token) {
            case "{", "[" -> 1;
            case "}", "]" -> -1;
            default -> 0;
        };
    }

    private static Long number(String token) {
        return NUMBER.matcher(token).matches() ? Long.valueOf(token) : null;
    }

    /** Goes to the next token; false where there is none, or one that is cut off. */
    private boolean next() {
        while (at < text.length() && text.charAt(at) <= ' ') {
            at++;
        }
        if (at >= text.length()) {
            return false;
        }
        int start = at;
        if (text.charAt(at) == '"') {
            return string(start);
        }
        at++;
        if ("{}[]:,".indexOf(text.charAt(start)) < 0) {
            while (at < text.length() && text.charAt(at) > ' ' && "{}[]:,\"".indexOf(text.charAt(at)) < 0) {
                at++;
            }
        }
        token = text.substring(start, at);
        return true;
    }

    private boolean string(int start) {
        for (int i = start + 1; i < text.length(); i++) {
            if (text.charAt(i) == '\\') {
                i++;
            } else if (text.charAt(i) == '"') {
                at = i + 1;
                token = text.substring(start, at);
                return true;
            }
        }
        return false;
    }
}
