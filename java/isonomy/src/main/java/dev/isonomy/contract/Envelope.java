// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.List;

/** Calls and outcomes as the bytes that cross a bridge (clause 10). Safe for use by several threads. */
public final class Envelope {
    private static final long VERSION = 1;
    private static final String V = "v";
    private static final String OUTCOME = "outcome";
    private static final String RETURNED = "returned";
    private static final String RAISED = "raised";
    private static final String SETTLED = "settled";
    private static final String VALUE = "value";
    private static final String RESPONSE = "response";
    private static final String ERROR = "error";
    private static final String DECODED = "decoded";
    private static final String PROGRESS = "progress";

    private Envelope() {}

    /**
     * The request for a call.
     *
     * @throws PortableException where an integer among arguments or injected values is too long
     */
    public static byte[] encodeCall(BridgeCall call) {
        JsonForm out = begin();
        Encoder encoder = new Encoder(out, false);
        out.key("tool");
        out.plainText(call.tool());
        out.key("arguments");
        encoder.value(call.arguments());
        out.key("injected");
        encoder.members(call.injected());
        out.key("call_id");
        encoder.plain(call.callId());
        out.key("attempt");
        out.integer(call.attempt());
        if (call.remainingMs() != null) {
            out.key("remaining_ms");
            out.integer(call.remainingMs());
        }
        out.key("max_result_bytes");
        out.integer(call.limits().maxResultBytes());
        out.key("strict_values");
        out.bool(call.limits().strictValues());
        out.endObject();
        return out.toBytes();
    }

    /**
     * The call of a request.
     *
     * @throws PortableException where the bytes are no request of this version
     */
    public static BridgeCall decodeCall(byte[] request) {
        WireObject object = versioned(JsonReader.plain(request), "a request");
        long attempt = object.has("attempt") ? object.count("attempt") : 1;
        long maxResultBytes = object.has("max_result_bytes")
                ? object.count("max_result_bytes")
                : Limits.DEFAULT.maxResultBytes();
        if (attempt < 1 || attempt > Integer.MAX_VALUE || maxResultBytes < 1) {
            throw PortableException.malformed("attempt or max_result_bytes of a request is out of range");
        }
        boolean strict = object.has("strict_values") && object.bool("strict_values");
        return new BridgeCall(
                object.text("tool"),
                object.portable("arguments"),
                object.has("injected") ? object.object("injected").portableMembers() : null,
                object.optionalText("call_id"),
                (int) attempt,
                object.isSet("remaining_ms") ? object.count("remaining_ms") : null,
                new Limits(maxResultBytes, strict));
    }

    /**
     * The envelope of a reply. A result that does not keep to the limits is settled here (clause 3.12), so this throws
     * nothing.
     */
    public static byte[] encodeReply(BridgeReply reply, Limits limits) {
        Outcome outcome = reply.outcome() instanceof Returned returned
                ? Mapping.returned(returned.value())
                : reply.outcome();
        JsonForm out = begin();
        Form.Mark start = out.mark();
        try {
            write(out, outcome, limits);
        } catch (PortableException refused) {
            out.endBoundUnchecked();
            out.reset(start);
            write(out, Limits.settled(refused), limits);
        }
        writeNotes(out, reply);
        out.endObject();
        return out.toBytes();
    }

    private static JsonForm begin() {
        JsonForm out = new JsonForm();
        out.beginObject();
        out.key(V);
        out.integer(VERSION);
        return out;
    }

    private static void write(JsonForm out, Outcome outcome, Limits limits) {
        out.key(OUTCOME);
        if (outcome instanceof Raised raised) {
            out.text(RAISED);
            out.key(ERROR);
            ErrorWire.write(out, raised.error());
        } else if (outcome instanceof Settled settled) {
            out.text(SETTLED);
            out.key(ERROR);
            ResponseWire.writeFields(out, limits.bounded(settled.failure()));
        } else {
            out.text(RETURNED);
            writeReturned(out, ((Returned) outcome).value(), limits);
        }
    }

    private static void writeReturned(JsonForm out, Object value, Limits limits) {
        if (value instanceof ToolResponse response) {
            out.key(RESPONSE);
            ResponseWire.write(out, response, limits);
        } else {
            out.key(VALUE);
            out.beginBound(limits.maxResultBytes());
            new Encoder(out, limits.strictValues()).value(value);
            out.endBound();
        }
    }

    private static void writeNotes(JsonForm out, BridgeReply reply) {
        if (!reply.decoded().isEmpty()) {
            out.key(DECODED);
            out.beginList();
            reply.decoded().forEach(out::plainText);
            out.endList();
        }
        if (!reply.progress().isEmpty()) {
            out.key(PROGRESS);
            out.beginList();
            for (Progress progress : reply.progress()) {
                Wire.write(out, progress);
            }
            out.endList();
        }
    }

    /** The reply of an envelope; one that is malformed is settled as {@code internal}, so this throws nothing. */
    public static BridgeReply decodeReply(byte[] envelope) {
        try {
            return readReply(envelope);
        } catch (PortableException malformed) {
            return new BridgeReply(Settled.of(
                    ErrorKind.INTERNAL, "malformed envelope: " + malformed.getMessage(), Effect.POSSIBLE));
        }
    }

    /**
     * The reply of an envelope.
     *
     * @throws PortableException where the bytes are no envelope of this version
     */
    public static BridgeReply readReply(byte[] envelope) {
        WireObject object = versioned(JsonReader.plain(envelope), "an envelope");
        String kind = object.text(OUTCOME);
        requireOneOf(object, kind.equals(RETURNED) ? List.of(VALUE, RESPONSE) : List.of(ERROR));
        Outcome outcome = switch (kind) {
            case RETURNED -> new Returned(
                    object.has(RESPONSE) ? ResponseWire.read(object.value(RESPONSE)) : object.portable(VALUE));
            case RAISED -> new Raised(ErrorWire.readInfo(object.value(ERROR)));
            case SETTLED -> new Settled(
                    ErrorWire.read(object.value(ERROR)), ResponseWire.readContent(object), ResponseWire.readMeta(object));
            default -> throw PortableException.malformed("an unknown outcome");
        };
        List<String> decoded = new ArrayList<>();
        for (Object path : object.optionalList(DECODED)) {
            if (!(path instanceof String text)) {
                throw PortableException.malformed("a decoded path is not a text");
            }
            decoded.add(text);
        }
        List<Progress> progress = new ArrayList<>();
        for (Object item : object.optionalList(PROGRESS)) {
            progress.add(Wire.readProgress(item));
        }
        return new BridgeReply(outcome, decoded, progress);
    }

    /** Refuses an envelope with none or several of the fields that say how it ended, or with another's. */
    private static void requireOneOf(WireObject object, List<String> names) {
        for (String name : List.of(VALUE, RESPONSE, ERROR)) {
            if (object.has(name) && !names.contains(name)) {
                throw PortableException.malformed("a field that does not belong to the outcome");
            }
        }
        if (names.stream().filter(object::has).count() != 1) {
            throw PortableException.malformed("an envelope without the field of its outcome, or with several");
        }
    }

    private static WireObject versioned(Object plain, String what) {
        WireObject object = WireObject.of(plain, what);
        if (!Long.valueOf(VERSION).equals(object.value(V))) {
            throw PortableException.malformed(what + " of an unknown version");
        }
        return object;
    }
}
