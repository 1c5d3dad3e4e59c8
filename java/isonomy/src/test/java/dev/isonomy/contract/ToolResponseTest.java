// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Clauses 1.2, 1.3, 1.6, 2.6 and 2.7: no state that makes no sense can be built. */
final class ToolResponseTest {

    @Test
    void aSuccessHoldsItsResult() {
        ToolSuccess success = ToolResponse.success(7);
        assertTrue(success.isSuccess());
        assertNull(success.error());
        assertEquals(7, success.unwrap());
        assertEquals(List.of(), success.content());
        assertEquals(Map.of(), success.meta());
        assertNull(ToolResponse.success(null).unwrap());
    }

    @Test
    void aFailureRaisesItselfWhenUnwrapped() {
        ToolFailure failure = ToolResponse.failure("no stock")
                .code("OUT")
                .retryable(false)
                .retryAfter(Duration.ofMillis(1500))
                .details(Map.of("sku", "a1"))
                .content(Block.text("see the list"))
                .meta(Collections.singletonMap("trace_id", null))
                .build();
        assertFalse(failure.isSuccess());
        ToolFailed raised = assertThrows(ToolFailed.class, failure::unwrap);
        assertSame(failure, raised.response());
        assertEquals("no stock", raised.getMessage());
        ToolError error = raised.error();
        assertEquals(ErrorKind.TOOL_ERROR, error.kind());
        assertEquals(Effect.POSSIBLE, error.effect());
        assertEquals(Language.JAVA, error.language());
        assertEquals("OUT", error.code());
        assertEquals(Boolean.FALSE, error.retryable());
        assertEquals(1500L, error.retryAfterMs());
        assertEquals(Map.of("sku", "a1"), error.details());
        assertNull(error.type());
        assertTrue(failure.meta().containsKey("trace_id"));
    }

    @Test
    void statesWithoutSenseAreRefused() {
        assertThrows(Misuse.class, () -> new ToolFailure(null));
        assertThrows(Misuse.class, () -> ToolResponse.success(ToolResponse.success(1)));
        assertThrows(Misuse.class, () -> ToolResponse.success(ToolResponse.error("m")));
        assertThrows(Misuse.class, () -> new Raised(null));
        assertThrows(Misuse.class, () -> new Settled(null));
        assertThrows(Misuse.class, () -> new ToolFailed((ToolFailure) null));
        assertThrows(Misuse.class, () -> ToolError.builder(null, "m").build());
        assertThrows(Misuse.class, () -> ToolError.builder(ErrorKind.INTERNAL, "m").effect(null).build());
        assertThrows(Misuse.class, () -> ToolResponse.failure("m").retryAfterMs(-1).build());
        assertThrows(Misuse.class, () -> new ErrorInfo(" ", "m", List.of(), null, Language.JAVA));
        assertThrows(Misuse.class, () -> new Block("text", Map.of("type", "image")));
        assertThrows(Misuse.class, () -> ToolResponse.success(1, Arrays.asList((Block) null), Map.of()));
        assertThrows(Misuse.class, () -> new Limits(0, false));
    }

    @Test
    void aRecordAgreesWithItsExecution() {
        ToolResponse response = ToolResponse.success(1);
        Instant at = Instant.EPOCH;
        new CallRecord(0, null, "t", response, Execution.EXECUTED, 1, at, 5L, List.of());
        new CallRecord(0, null, "t", response, Execution.REUSED, 0, null, null, List.of());
        assertThrows(Misuse.class,
                () -> new CallRecord(0, null, "t", response, Execution.EXECUTED, 0, at, 5L, List.of()));
        assertThrows(Misuse.class,
                () -> new CallRecord(0, null, "t", response, Execution.EXECUTED, 1, null, 5L, List.of()));
        assertThrows(Misuse.class,
                () -> new CallRecord(0, null, "t", response, Execution.REUSED, 0, null, 5L, List.of()));
        CallRecord second = new CallRecord(1, null, "t", response, Execution.REUSED, 0, null, null, List.of());
        assertThrows(Misuse.class, () -> new ResponseEvent(null, List.of(second)));
    }

    @Test
    void contentAndMetaAreCopiedAndKeepTheirOrder() {
        List<Block> content = new ArrayList<>(List.of(Block.text("a"), Block.link("file:///b", "b")));
        Map<String, Object> meta = new LinkedHashMap<>();
        meta.put("z", null);
        meta.put("a", 1);
        ToolSuccess success = ToolResponse.success(1, content, meta);
        content.clear();
        meta.clear();
        assertEquals(List.of("z", "a"), List.copyOf(success.meta().keySet()));
        assertEquals(2, success.content().size());
        assertThrows(UnsupportedOperationException.class, () -> success.meta().put("b", 2));
        assertThrows(UnsupportedOperationException.class, () -> success.content().clear());
        assertThrows(UnsupportedOperationException.class, () -> success.content().get(0).fields().clear());
    }

    @Test
    void blocksHaveTheFieldsOfTheirType() {
        assertEquals(Map.of("text", "t"), Block.text("t").fields());
        assertEquals(Map.of("data", "aGk=", "mimeType", "image/png"), Block.image(new byte[] {'h', 'i'}, "image/png").fields());
        assertEquals("audio", Block.audio(new byte[0], "audio/wav").type());
        assertEquals(Map.of("resource", Map.of("uri", "file:///a")), Block.resource(Map.of("uri", "file:///a")).fields());
        assertEquals(List.of("uri", "name"), List.copyOf(Block.link("file:///b", "b").fields().keySet()));
    }

    @Test
    void thePublicViewHasFiveFields() {
        ToolError error = ToolError.builder(ErrorKind.EXCEPTION, "secret sauce")
                .type("com.acme.Broken").code("C").retryable(true).retryAfterMs(5L)
                .details("d").trace("t").build();
        assertEquals(
                Map.of("kind", "exception", "message", "secret sauce", "code", "C", "retryable", true, "retry_after_ms", 5L),
                error.publicFields(Unexpected.MESSAGE));
        assertEquals("com.acme.Broken", error.publicFields(Unexpected.TYPE).get("message"));
        ToolError declared = error.toBuilder().kind(ErrorKind.TOOL_ERROR).build();
        assertEquals("secret sauce", declared.publicFields(Unexpected.TYPE).get("message"));
    }

    @Test
    void enumsShareTheirVocabularyWithTheWire() {
        for (ErrorKind kind : ErrorKind.values()) {
            assertEquals(kind, ErrorKind.fromWire(kind.wire()).orElseThrow());
        }
        for (Execution execution : Execution.values()) {
            assertEquals(execution, Execution.fromWire(execution.wire()).orElseThrow());
        }
        for (ExecutionEvent.Type type : ExecutionEvent.Type.values()) {
            assertEquals(type, ExecutionEvent.Type.fromWire(type.wire()).orElseThrow());
        }
        assertTrue(ErrorKind.fromWire("quota").isEmpty());
        assertTrue(Execution.fromWire("guessed").isEmpty());
        assertTrue(ExecutionEvent.Type.fromWire("paused").isEmpty());
        assertEquals(Effect.NONE, Effect.fromWire("none"));
        assertEquals(Effect.POSSIBLE, Effect.fromWire("maybe"));
    }
}
