// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/** Calls, requests, responses and events as JSON (clauses 2, 8 and 9). Safe for use by several threads. */
public final class Wire {
    private static final String EVENT = "event";
    private static final String CALL_ID = "call_id";
    private static final String TOOL = "tool";
    private static final String POSITION = "position";
    private static final String EXECUTION = "execution";
    private static final String ATTEMPTS = "attempts";
    private static final String DURATION_US = "duration_us";
    private static final String TOOL_REQUEST = "tool_request";

    private static final DateTimeFormatter RFC_3339 =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private Wire() {}

    /** A response as UTF-8 JSON (clause 2). */
    public static byte[] encode(ToolResponse response) {
        JsonForm out = new JsonForm();
        ResponseWire.write(out, response, Limits.NONE);
        return out.toBytes();
    }

    /**
     * The response of a JSON text.
     *
     * @throws PortableException where it is no response; nothing is repaired (clause 2.4)
     */
    public static ToolResponse decodeResponse(byte[] json) {
        return ResponseWire.read(JsonReader.plain(json));
    }

    /**
     * The error of plain JSON in which tags are maps (clause 4.1).
     *
     * @throws PortableException where it is no error
     */
    public static ToolError readError(Object plain) {
        return ErrorWire.read(plain);
    }

    /** A request as UTF-8 JSON (clause 8.2). */
    public static byte[] encode(ToolRequest request) {
        JsonForm out = new JsonForm();
        Encoder encoder = new Encoder(out, false);
        out.beginObject();
        text(out, EVENT, TOOL_REQUEST);
        text(out, "id", request.id());
        out.key("calls");
        out.beginList();
        for (ToolCall call : request.calls()) {
            out.beginObject();
            text(out, CALL_ID, call.callId());
            text(out, TOOL, call.tool());
            out.key("arguments");
            encoder.value(call.arguments());
            out.endObject();
        }
        out.endList();
        out.endObject();
        return out.toBytes();
    }

    /**
     * The request of a JSON text.
     *
     * @throws PortableException where it is no request
     */
    public static ToolRequest decodeRequest(byte[] json) {
        WireObject object = WireObject.of(JsonReader.plain(json), "a request");
        if (!object.text(EVENT).equals(TOOL_REQUEST)) {
            throw PortableException.malformed("an event that is no " + TOOL_REQUEST);
        }
        List<ToolCall> calls = new ArrayList<>();
        for (Object item : object.list("calls")) {
            calls.add(readCall(item));
        }
        String id = object.optionalText("id");
        object.refuseOthers();
        return new ToolRequest(id, calls);
    }

    private static ToolCall readCall(Object plain) {
        WireObject object = WireObject.of(plain, "a call");
        ToolCall call = new ToolCall(
                object.optionalText(CALL_ID),
                object.text(TOOL),
                object.isSet("arguments") ? object.portable("arguments") : null);
        object.refuseOthers();
        return call;
    }

    /**
     * An event as UTF-8 JSON (clauses 8.3, 8.4 and 9.1).
     *
     * @throws Misuse for a {@link Notice}, which has no such form
     */
    public static byte[] encode(Event event) {
        JsonForm out = new JsonForm();
        if (event instanceof ExecutionEvent execution) {
            write(out, execution);
        } else if (event instanceof ResponseEvent response) {
            write(out, response);
        } else {
            throw new Misuse("a notice is counted and not written; write execution and response events");
        }
        return out.toBytes();
    }

    private static void write(JsonForm out, ResponseEvent event) {
        out.beginObject();
        text(out, EVENT, "tool_response");
        text(out, "id", event.id());
        out.key("records");
        out.beginList();
        for (CallRecord callRecord : event.records()) {
            write(out, callRecord);
        }
        out.endList();
        out.endObject();
    }

    private static void write(JsonForm out, CallRecord callRecord) {
        out.beginObject();
        integer(out, POSITION, callRecord.position());
        text(out, CALL_ID, callRecord.callId());
        text(out, TOOL, callRecord.tool());
        out.key("response");
        ResponseWire.write(out, callRecord.response(), Limits.NONE);
        text(out, EXECUTION, callRecord.execution().wire());
        integer(out, ATTEMPTS, callRecord.attempts());
        text(out, "started_at", callRecord.startedAt() == null ? null : time(callRecord.startedAt()));
        out.key(DURATION_US);
        number(out, callRecord.durationUs());
        if (!callRecord.decoded().isEmpty()) {
            out.key("decoded");
            out.beginList();
            callRecord.decoded().forEach(out::plainText);
            out.endList();
        }
        out.endObject();
    }

    private static void write(JsonForm out, ExecutionEvent event) {
        out.beginObject();
        text(out, EVENT, "execution");
        text(out, "type", event.type().wire());
        text(out, "batch", event.batch());
        integer(out, "seq", event.seq());
        integer(out, POSITION, event.position());
        text(out, CALL_ID, event.callId());
        text(out, TOOL, event.tool());
        text(out, "at", time(event.at()));
        if (event.execution() != null) {
            text(out, EXECUTION, event.execution().wire());
        }
        if (event.attempts() != null) {
            integer(out, ATTEMPTS, event.attempts());
        }
        if (event.durationUs() != null) {
            integer(out, DURATION_US, event.durationUs());
        }
        if (event.kind() != null) {
            text(out, "kind", event.kind().wire());
        }
        if (event.reason() != null) {
            text(out, "reason", event.reason());
        }
        if (event.progress() != null) {
            writeFields(out, event.progress());
        }
        out.endObject();
    }

    static void write(JsonForm out, Progress progress) {
        out.beginObject();
        writeFields(out, progress);
        out.endObject();
    }

    private static void writeFields(JsonForm out, Progress progress) {
        out.key("progress");
        out.real(progress.progress());
        out.key("total");
        if (progress.total() == null) {
            out.nul();
        } else {
            out.real(progress.total());
        }
        text(out, "message", progress.message());
    }

    static Progress readProgress(Object plain) {
        WireObject object = WireObject.of(plain, "progress");
        return new Progress(
                object.number("progress"),
                object.isSet("total") ? (Double) object.number("total") : null,
                object.optionalText("message"));
    }

    /** A point in time as RFC 3339 in UTC with six digits (clause 8.4). */
    public static String time(Instant at) {
        return RFC_3339.format(at);
    }

    private static void text(JsonForm out, String name, String value) {
        out.key(name);
        if (value == null) {
            out.nul();
        } else {
            out.plainText(value);
        }
    }

    private static void integer(JsonForm out, String name, long value) {
        out.key(name);
        out.integer(value);
    }

    private static void number(JsonForm out, Long value) {
        if (value == null) {
            out.nul();
        } else {
            out.integer(value);
        }
    }
}
