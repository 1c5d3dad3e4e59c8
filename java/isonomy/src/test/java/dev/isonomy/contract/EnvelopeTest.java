// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Clauses 8 to 10 and 4.15: what crosses a bridge, and what is written of events. */
final class EnvelopeTest {

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aCallCrossesWhole() {
        BridgeCall call = new BridgeCall(
                "price",
                Map.of("$iso:date", "2024-01-31"),
                Map.of("day", LocalDate.of(2024, 1, 31)),
                "c1", 2, 1500L, new Limits(1000, true));
        assertEquals(
                "{\"v\":1,\"tool\":\"price\",\"arguments\":{\"$iso:map\":[[\"$iso:date\",\"2024-01-31\"]]},"
                        + "\"injected\":{\"day\":{\"$iso:date\":\"2024-01-31\"}},\"call_id\":\"c1\",\"attempt\":2,"
                        + "\"remaining_ms\":1500,\"max_result_bytes\":1000,\"strict_values\":true}",
                text(Envelope.encodeCall(call)));
        BridgeCall read = Envelope.decodeCall(Envelope.encodeCall(call));
        assertEquals(call, read);
        BridgeCall bare = new BridgeCall("t", null, null, null, 1, null, Limits.DEFAULT);
        assertEquals(bare, Envelope.decodeCall(Envelope.encodeCall(bare)));
    }

    @Test
    void absentFieldsOfARequestHaveDefaults() {
        BridgeCall read = Envelope.decodeCall(utf8("{\"v\":1,\"tool\":\"t\",\"arguments\":{}}"));
        assertEquals(new BridgeCall("t", Map.of(), Map.of(), null, 1, null, Limits.DEFAULT), read);
        for (String field : List.of(
                "\"attempt\":null", "\"max_result_bytes\":null", "\"remaining_ms\":-1", "\"strict_values\":null",
                "\"injected\":null")) {
            String broken = "{\"v\":1,\"tool\":\"t\",\"arguments\":{}," + field + "}";
            assertThrows(PortableException.class, () -> Envelope.decodeCall(utf8(broken)), broken);
        }
    }

    @Test
    void strictValuesConcernTheResult() {
        Outcome meta = new Returned(ToolResponse.success(
                1, List.of(new Block("x", Map.of("a", new Object()))), Map.of("m", Map.of("o", new Object()))));
        Limits strict = new Limits(1000, true);
        assertSame(meta, strict.applied(meta));
        String wire = text(Wire.encode((ToolResponse) ((Returned) meta).value()));
        assertTrue(wire.contains("\"path\":\"$.meta.m.o\""), wire);
        assertTrue(wire.contains("\"path\":\"$.content[0].a\""), wire);
    }

    @Test
    void aTraceDoesNotCountForTheSizeOfAFailure() {
        ToolError error = ToolError.builder(ErrorKind.TOOL_ERROR, "m").details(Map.of("a", 1)).build();
        ToolFailure bare = new ToolFailure(error);
        ToolFailure traced = new ToolFailure(error.toBuilder().trace("t".repeat(1000)).build());
        int size = Wire.encode(bare).length;
        for (ToolFailure failure : List.of(bare, traced)) {
            Outcome outcome = new Returned(failure);
            assertSame(outcome, new Limits(size, false).applied(outcome));
            assertEquals(Map.of("a", 1L), details(across(outcome, new Limits(size, false))));
            Limits less = new Limits(size - 1, false);
            assertEquals(Map.of("omitted", "too_large"), details(less.applied(outcome)));
            assertEquals(Map.of("omitted", "too_large"), details(across(outcome, less)));
        }
    }

    private static Object details(Outcome outcome) {
        return ((ToolFailure) ((Returned) outcome).value()).error().details();
    }

    @Test
    void aBrokenRequestIsRefused() {
        String good = "{\"v\":1,\"tool\":\"t\",\"arguments\":{},\"call_id\":null,\"attempt\":1,"
                + "\"max_result_bytes\":1,\"strict_values\":false}";
        assertEquals("t", Envelope.decodeCall(utf8(good)).tool());
        for (String broken : List.of(
                good.replace("\"v\":1", "\"v\":2"), good.replace("\"tool\":\"t\",", ""), "[]", "",
                good.replace("\"attempt\":1", "\"attempt\":0"), good.replace("\"attempt\":1", "\"attempt\":1.0"),
                good.replace("\"max_result_bytes\":1", "\"max_result_bytes\":-1"),
                good.replace("\"arguments\":{},", ""), good.replace("\"call_id\":null", "\"call_id\":7"))) {
            assertThrows(PortableException.class, () -> Envelope.decodeCall(utf8(broken)), broken);
        }
    }

    @Test
    void whatARuntimeNoticedCrossesWithTheOutcome() {
        BridgeReply reply = new BridgeReply(
                new Returned(1), List.of("a.b"), List.of(new Progress(1, 2.0, "half"), new Progress(2, null, null)));
        byte[] envelope = Envelope.encodeReply(reply, Limits.DEFAULT);
        assertEquals(
                "{\"v\":1,\"outcome\":\"returned\",\"value\":1,\"decoded\":[\"a.b\"],\"progress\":["
                        + "{\"progress\":1.0,\"total\":2.0,\"message\":\"half\"},"
                        + "{\"progress\":2.0,\"total\":null,\"message\":null}]}",
                text(envelope));
        BridgeReply read = Envelope.decodeReply(envelope);
        assertEquals(reply.decoded(), read.decoded());
        assertEquals(reply.progress(), read.progress());
        assertEquals(new Returned(1L), read.outcome());
    }

    @Test
    void aResultOutsideTheLimitsIsSettledOnBothPaths() {
        Outcome large = new Returned("x".repeat(100));
        Outcome odd = new Returned(List.of(1, new Object()));
        Limits limits = new Limits(50, true);
        ToolError tooLarge = settled(limits.applied(large));
        assertEquals(ErrorKind.TOO_LARGE, tooLarge.kind());
        assertEquals("the result takes more than 50 bytes", tooLarge.message());
        assertEquals(tooLarge, settled(across(large, limits)));
        ToolError conversion = settled(limits.applied(odd));
        assertEquals(ErrorKind.RESULT_CONVERSION, conversion.kind());
        assertEquals("$[1]: a value of type java.lang.Object has no portable form", conversion.message());
        assertEquals(conversion, settled(across(odd, limits)));
        assertSame(odd, Limits.DEFAULT.applied(odd));
        Outcome meta = new Returned(ToolResponse.success(1, List.of(), Map.of("m", "x".repeat(100))));
        assertEquals(tooLarge, settled(limits.applied(meta)));
        assertEquals(tooLarge, settled(across(meta, limits)));
        Outcome raised = Mapping.thrown(new Exception("x".repeat(100)));
        assertSame(raised, limits.applied(raised));
    }

    @Test
    void aFailureIsNeverReplacedByAComplaint() {
        List<Object> loop = new ArrayList<>();
        loop.add(loop);
        loop.add(new java.math.BigInteger("9".repeat(4301)));
        ToolFailure failure = ToolResponse.failure("locked")
                .code("LOCK")
                .details(loop)
                .content(new Block("chart", Collections.singletonMap("of", new Object())))
                .build();
        Limits strict = new Limits(10_000, true);
        assertEquals(new Returned(failure), strict.applied(new Returned(failure)));
        ToolError kept = ((ToolFailure) ((Returned) across(new Returned(failure), strict)).value()).error();
        assertEquals("LOCK", kept.code());
        assertEquals(
                List.of(new Opaque("java.util.ArrayList", "$[0]"), new Opaque("java.math.BigInteger", "$[1]")),
                kept.details());
        ToolFailure bulky = ToolResponse.failure("m").details("x".repeat(1000)).meta(Map.of("a", 1)).build();
        ToolFailure light = (ToolFailure) ((Returned) new Limits(200, false).applied(new Returned(bulky))).value();
        assertEquals(Map.of("omitted", "too_large"), light.error().details());
        assertEquals(Map.of(), light.meta());
        assertArrayEquals(
                Wire.encode(light),
                Wire.encode((ToolResponse) ((Returned) across(new Returned(bulky), new Limits(200, false))).value()));
    }

    @Test
    void longTextsAreCutBeforeTheyCross() {
        ToolFailure failure = ToolResponse.error("x".repeat(300_000));
        ToolFailure read = (ToolFailure) ((Returned) across(new Returned(failure), Limits.DEFAULT)).value();
        assertEquals(ErrorText.MAX_CROSSING, read.error().message().length());
    }

    @Test
    void aMalformedEnvelopeTellsWhatIsWrongAndNothingOfItsText() {
        ToolError error = settled(Envelope.decodeReply(utf8("{\"v\":1,\"outcome\":\"hunter2\"")).outcome());
        assertEquals(ErrorKind.INTERNAL, error.kind());
        assertEquals(Effect.POSSIBLE, error.effect());
        assertEquals(false, error.message().contains("hunter2"));
    }

    private static Outcome across(Outcome outcome, Limits limits) {
        return Envelope.decodeReply(Envelope.encodeReply(new BridgeReply(outcome), limits)).outcome();
    }

    private static ToolError settled(Outcome outcome) {
        return ((Settled) outcome).error();
    }

    @Test
    void requestsAreReadAndWritten() {
        String request = "{\"event\":\"tool_request\",\"id\":null,\"calls\":["
                + "{\"call_id\":\"c1\",\"tool\":\"t\",\"arguments\":{\"a\":{\"$iso:bytes\":\"aGk=\"}}},"
                + "{\"call_id\":null,\"tool\":\"t\",\"arguments\":\"{\\\"a\\\": 1}\"},"
                + "{\"call_id\":null,\"tool\":\"u\",\"arguments\":null}]}";
        ToolRequest read = Wire.decodeRequest(utf8(request));
        assertEquals(request, text(Wire.encode(read)));
        assertEquals("{\"a\": 1}", read.calls().get(1).arguments());
        for (String broken : List.of(
                request.replace("tool_request", "tool_response"), request.replace("\"tool\":\"u\",", ""),
                request.replace("\"id\":null", "\"id\":7"), request.replace("\"id\":null", "\"id\":null,\"x\":1"))) {
            assertThrows(PortableException.class, () -> Wire.decodeRequest(utf8(broken)));
        }
    }

    @Test
    void eventsAreWritten() {
        Instant at = Instant.parse("2024-01-31T12:00:00.123456789Z");
        CallRecord done = new CallRecord(
                0, "c1", "t", ToolResponse.success(1), Execution.EXECUTED, 1, at, 42L, List.of("f"));
        CallRecord skipped = new CallRecord(
                1, null, "u", ToolResponse.error("m"), Execution.NOT_EXECUTED, 0, null, null, List.of());
        assertEquals(
                "{\"event\":\"tool_response\",\"id\":\"b1\",\"records\":[{\"position\":0,\"call_id\":\"c1\","
                        + "\"tool\":\"t\",\"response\":{\"status\":\"success\",\"result\":1},"
                        + "\"execution\":\"executed\",\"attempts\":1,\"started_at\":\"2024-01-31T12:00:00.123456Z\","
                        + "\"duration_us\":42,\"decoded\":[\"f\"]},{\"position\":1,\"call_id\":null,\"tool\":\"u\","
                        + "\"response\":{\"status\":\"failure\",\"error\":{\"kind\":\"tool_error\",\"message\":\"m\","
                        + "\"effect\":\"possible\",\"language\":\"java\"}},\"execution\":\"not_executed\","
                        + "\"attempts\":0,\"started_at\":null,\"duration_us\":null}]}",
                text(Wire.encode(new ResponseEvent("b1", List.of(done, skipped)))));
        assertEquals(
                "{\"event\":\"execution\",\"type\":\"failed\",\"batch\":null,\"seq\":3,\"position\":0,"
                        + "\"call_id\":\"c1\",\"tool\":\"t\",\"at\":\"2024-01-31T12:00:00.123456Z\","
                        + "\"execution\":\"executed\",\"attempts\":1,\"duration_us\":42,\"kind\":\"timeout\"}",
                text(Wire.encode(new ExecutionEvent(
                        ExecutionEvent.Type.FAILED, null, 3, 0, "c1", "t", "files", at, Execution.EXECUTED, 1, 42L,
                        ErrorKind.TIMEOUT, null, null))));
        assertEquals(
                "{\"event\":\"execution\",\"type\":\"progress\",\"batch\":\"b1\",\"seq\":1,\"position\":0,"
                        + "\"call_id\":null,\"tool\":\"t\",\"at\":\"1970-01-01T00:00:00.000000Z\","
                        + "\"progress\":1.0,\"total\":null,\"message\":\"half\"}",
                text(Wire.encode(new ExecutionEvent(
                        ExecutionEvent.Type.PROGRESS, "b1", 1, 0, null, "t", null, Instant.EPOCH, null, null, null, null,
                        null, new Progress(1, null, "half")))));
    }

    @Test
    void anEventThatContradictsItselfIsRefused() {
        assertThrows(Misuse.class, () -> event(ExecutionEvent.Type.FAILED, null, null));
        assertThrows(Misuse.class, () -> event(ExecutionEvent.Type.FINISHED, ErrorKind.TIMEOUT, null));
        assertThrows(Misuse.class, () -> event(ExecutionEvent.Type.CANCELLED, null, null));
        assertThrows(Misuse.class, () -> event(ExecutionEvent.Type.STARTED, null, ExecutionEvent.CANCELLED));
        assertThrows(Misuse.class, () -> event(ExecutionEvent.Type.PROGRESS, null, null));
    }

    private static ExecutionEvent event(ExecutionEvent.Type type, ErrorKind kind, String reason) {
        return new ExecutionEvent(
                type, null, 0, 0, null, "t", null, Instant.EPOCH, null, null, null, kind, reason, null);
    }

    @Test
    void aSettledOutcomeCrossesWhole() {
        ToolError error = ToolError.builder(ErrorKind.PROTOCOL, "m").details(List.of(1L)).build();
        Settled settled = new Settled(error, List.of(Block.text("half")), Map.of("at", LocalDate.of(2026, 1, 2)));
        byte[] envelope = Envelope.encodeReply(new BridgeReply(settled), Limits.DEFAULT);
        assertEquals(
                "{\"v\":1,\"outcome\":\"settled\",\"error\":{\"kind\":\"protocol\",\"message\":\"m\","
                        + "\"effect\":\"possible\",\"language\":\"java\",\"details\":[1]},"
                        + "\"content\":[{\"type\":\"text\",\"text\":\"half\"}],\"meta\":{\"at\":{\"$iso:date\":\"2026-01-02\"}}}",
                text(envelope));
        assertEquals(settled, Envelope.decodeReply(envelope).outcome());
        assertEquals(
                new ToolFailure(error, settled.content(), settled.meta()), Mapping.toResponse(settled));
    }

    /** As a failure that a tool builds (clause 4.15). */
    @Test
    void aSettledOutcomeThatIsTooLargeKeepsItsMessage() {
        Limits limits = new Limits(200, false);
        Settled settled = new Settled(
                ToolError.builder(ErrorKind.TIMEOUT, "late").build(), List.of(Block.text("x".repeat(200))), Map.of());
        Settled bare = new Settled(
                ToolError.builder(ErrorKind.TIMEOUT, "late").details(Map.of("omitted", "too_large")).build());
        assertEquals(bare, limits.applied(settled));
        assertSame(settled, Limits.DEFAULT.applied(settled));
        assertEquals(bare, Envelope.decodeReply(Envelope.encodeReply(new BridgeReply(settled), limits)).outcome());
    }
}
