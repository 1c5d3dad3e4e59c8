// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.CallRecord;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Execution;
import dev.isonomy.contract.ExecutionEvent;
import dev.isonomy.contract.Finished;
import dev.isonomy.contract.Journal;
import dev.isonomy.contract.JournalException;
import dev.isonomy.contract.JournalMismatch;
import dev.isonomy.contract.Lease;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Opaque;
import dev.isonomy.contract.ResponseEvent;
import dev.isonomy.contract.StoredCall;
import dev.isonomy.contract.ToolCall;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.contract.Wire;
import dev.isonomy.journal.MemoryJournal;
import dev.isonomy.observe.MemorySink;
import dev.isonomy.observe.Metrics;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.InjectedParameter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Batches that are kept: what is reused, what runs again, and which calls are others (clause 13). */
@Timeout(120)
final class DurableTest {

    private static final String ALL = "dev.isonomy.runtime.Way#all";
    private static final String IN_ORDER = "dev.isonomy.runtime.Way#inOrder";

    @TempDir
    private Path folder;

    private final Shop shop = new Shop();

    private static String wire(ToolResponse response) {
        return new String(Wire.encode(response), UTF_8);
    }

    private static List<Execution> executions(ResponseEvent event) {
        return event.records().stream().map(CallRecord::execution).toList();
    }

    private static ToolError error(ResponseEvent event, int position) {
        return event.records().get(position).response().error();
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void whatFinishedIsReusedWithAnEqualResponse(Way way) throws Exception {
        ResponseEvent live;
        ResponseEvent again;
        try (Journal journal = way.journal(folder); ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools())) {
            live = way.run(executor, "b", Shop.CALLS, journal);
            assertEquals(6, shop.ran.size());
            again = way.run(executor, "b", Shop.CALLS, journal);
        }
        assertEquals(6, shop.ran.size());
        assertEquals(2, shop.number.get());
        for (int i = 0; i < Shop.CALLS.size(); i++) {
            CallRecord before = live.records().get(i);
            CallRecord after = again.records().get(i);
            assertEquals(before.response(), after.response());
            assertEquals(wire(before.response()), wire(after.response()));
            assertEquals(List.of(i, before.tool(), before.decoded()), List.of(after.position(), after.tool(), after.decoded()));
            assertEquals(before.callId(), after.callId());
            assertEquals(List.of(Execution.EXECUTED, 1), List.of(before.execution(), before.attempts()));
            assertEquals(List.of(Execution.REUSED, 0), List.of(after.execution(), after.attempts()));
            assertNull(after.startedAt());
            assertNull(after.durationUs());
        }
        checkValues(again);
    }

    private static void checkValues(ResponseEvent again) {
        assertEquals(
                Map.of("sku", "a1", "price", new BigDecimal("12.50"), "from", LocalDate.of(2026, 1, 2)),
                again.records().get(0).response().unwrap());
        assertEquals(3L, again.records().get(1).response().unwrap());
        ToolError refused = error(again, 2);
        assertEquals(List.of(ErrorKind.TOOL_ERROR, "NO"), List.of(refused.kind(), refused.code()));
        assertEquals(Map.of("at", LocalDate.of(2026, 1, 2)), refused.details());
        assertEquals(Map.of("m", 1L), again.records().get(2).response().meta());
        ToolError failed = error(again, 3);
        assertEquals(
                List.of(ErrorKind.EXCEPTION, "java.lang.IllegalArgumentException"), List.of(failed.kind(), failed.type()));
        assertFalse(wire(again.records().get(3).response()).contains("abc1234567890def"));
        assertEquals("java.lang.IllegalStateException", failed.causes().get(0).type());
        assertTrue(failed.trace().contains("Shop"));
        assertEquals(List.of(ErrorKind.TOOL_ERROR, true), List.of(error(again, 4).kind(), error(again, 4).retryable()));
        assertEquals(
                List.of(1L, 2L),
                IntStream.of(5, 6).mapToObj(i -> (Long) again.records().get(i).response().unwrap()).sorted().toList());
        Map<?, ?> odd = (Map<?, ?>) again.records().get(7).response().unwrap();
        assertEquals(1L, odd.get("n"));
        assertEquals("java.lang.Object", ((Opaque) odd.get("lock")).type());
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void aResponseThatIsKeptIsThatOfTheBatchWithoutAJournal(Way way) throws Exception {
        List<ToolCall> calls = Shop.CALLS.subList(0, 5);
        try (Journal journal = way.journal(folder); ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools())) {
            ResponseEvent plain = way.run(executor, "b", calls, way.options());
            ResponseEvent kept = way.run(executor, "b", calls, journal);
            for (int i = 0; i < calls.size(); i++) {
                assertEquals(withoutTrace(plain, i), withoutTrace(kept, i));
            }
        }
    }

    private static String withoutTrace(ResponseEvent event, int position) {
        String wire = wire(event.records().get(position).response());
        ToolError error = error(event, position);
        return error == null || error.trace() == null
                ? wire
                : error.toBuilder().trace(null).build().toString();
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void whatDidNothingRunsAgain(Way way) throws Exception {
        List<ToolCall> free = List.of(
                Shop.call("nobody"), Shop.call("price", "sku", 5), new ToolCall(null, "price", "[1]"),
                Shop.call("price", "sku", LocalDate.of(2026, 1, 2)));
        try (Journal journal = way.journal(folder); ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools())) {
            for (int i = 0; i < 2; i++) {
                ResponseEvent event = way.run(executor, "b", free, journal);
                assertEquals(
                        List.of(
                                ErrorKind.NOT_FOUND, ErrorKind.INVALID_ARGUMENTS, ErrorKind.INVALID_ARGUMENTS,
                                ErrorKind.INVALID_ARGUMENTS),
                        event.records().stream().map(each -> each.response().error().kind()).toList());
                assertEquals(
                        List.of(Execution.NOT_EXECUTED, Execution.EXECUTED, Execution.EXECUTED, Execution.EXECUTED),
                        executions(event));
            }
            assertFalse(journal.claim("b", 4, () -> false).stored().hasNext());
        }
    }

    /** As after a death: the journal has some of the calls, and they were written in another order. */
    @ParameterizedTest
    @MethodSource(ALL)
    void theRestRuns(Way way) throws Exception {
        MemorySink memory = new MemorySink();
        Metrics metrics = new Metrics();
        try (Journal journal = way.journal(folder);
                ToolExecutor before = ToolExecutor.of((Object[]) new Shop().tools());
                ToolExecutor executor = ToolExecutor.builder()
                        .tools((Object[]) shop.tools())
                        .sink(memory)
                        .sink(metrics)
                        .build()) {
            way.run(before, "whole", Shop.CALLS, journal);
            copy(journal, List.of(6, 1, 3));
            ResponseEvent event = way.run(executor, "part", Shop.CALLS, journal);
            for (CallRecord record : event.records()) {
                assertEquals(
                        List.of(1, 3, 6).contains(record.position()) ? Execution.REUSED : Execution.EXECUTED,
                        record.execution());
            }
        }
        assertEquals(List.of("a1", "giveUp", "no stock", "odd"), shop.ran.stream().map(String.class::cast).sorted().toList());
        assertEquals(1, shop.number.get());
        List<ExecutionEvent> told = memory.executions();
        assertEquals(
                LongStream.range(0, 3 + 2 * 5).boxed().toList(), told.stream().map(ExecutionEvent::seq).toList());
        List<ExecutionEvent> reused = told.subList(0, 3);
        assertEquals(List.of(6, 1, 3), reused.stream().map(ExecutionEvent::position).toList());
        assertTrue(reused.stream().allMatch(each -> each.type() == ExecutionEvent.Type.REUSED));
        assertEquals(List.of(Execution.REUSED, 0), List.of(reused.get(2).execution(), reused.get(2).attempts()));
        assertEquals(ErrorKind.EXCEPTION, reused.get(2).kind());
        assertEquals(3, metrics.snapshot().reused());
        assertEquals(0, metrics.snapshot().inFlight());
        assertEquals(5, metrics.snapshot().calls().values().stream().mapToLong(Long::longValue).sum());
    }

    private static void copy(Journal journal, List<Integer> positions) throws InterruptedException {
        Lease from = journal.claim("whole", Shop.CALLS.size(), () -> false);
        List<StoredCall> all = new ArrayList<>();
        for (Iterator<StoredCall> each = from.stored(); each.hasNext(); ) {
            all.add(each.next());
        }
        from.release(false);
        Lease to = journal.claim("part", Shop.CALLS.size(), () -> false);
        for (int position : positions) {
            StoredCall stored = all.get(position);
            to.finish(List.of(new Finished(stored.slot(), stored.record(), 1, 5)), false);
        }
        to.release(false);
    }

    @ParameterizedTest
    @MethodSource(IN_ORDER)
    void equalCallsKeepTheirOwnResults(Way way) throws Exception {
        List<ToolCall> calls = List.of(Shop.call("count"), Shop.call("count"), Shop.call("count"));
        try (Journal journal = way.journal(folder); ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools())) {
            for (int i = 0; i < 2; i++) {
                assertEquals(
                        List.of(1L, 2L, 3L),
                        way.run(executor, "b", calls, journal).records().stream()
                                .map(each -> each.response().unwrap())
                                .toList());
            }
            assertEquals(4L, way.run(executor, "c", calls, journal).records().get(0).response().unwrap());
        }
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void whatIsTooLargeOrHasNoFormIsKeptAsThat(Way way) throws Exception {
        try (Journal journal = way.journal(folder);
                ToolExecutor executor = ToolExecutor.builder()
                        .tools((Object[]) shop.tools())
                        .maxResultBytes(4_096)
                        .strictValues(true)
                        .build()) {
            for (int i = 0; i < 2; i++) {
                ResponseEvent event =
                        way.run(executor, "b", List.of(Shop.call("large"), Shop.call("odd")), journal);
                assertEquals(ErrorKind.TOO_LARGE, error(event, 0).kind());
                assertEquals(ErrorKind.RESULT_CONVERSION, error(event, 1).kind());
            }
        }
        assertEquals(2, shop.ran.size());
    }

    @ParameterizedTest
    @MethodSource(IN_ORDER)
    void aReusedFailureCountsForFailFast(Way way) throws Exception {
        List<ToolCall> calls = List.of(Shop.call("fail", "text", "x"), Shop.call("price", "sku", "a"));
        try (Journal journal = way.journal(folder); ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools())) {
            for (int i = 0; i < 2; i++) {
                ResponseEvent event =
                        way.run(executor, "b", calls, way.options().withFailFast().withJournal(journal));
                assertEquals("not started: an earlier call failed", error(event, 1).message());
            }
            assertTrue(way.run(executor, "b", calls, journal).records().get(1).response().isSuccess());
        }
        assertEquals(List.of("x", "a"), shop.ran);
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void anotherCallAtASlotIsAMismatch(Way way) throws Exception {
        List<ToolCall> calls = Shop.CALLS.subList(0, 2);
        MemorySink memory = new MemorySink();
        try (Journal journal = way.journal(folder);
                ToolExecutor executor =
                        ToolExecutor.builder().tools((Object[]) shop.tools()).sink(memory).build()) {
            way.run(executor, "b", calls, journal);
            memory.clear();
            Map<ToolCall, String> offered = Map.of(
                    Shop.call("count"), "batch \"b\", call 0: the journal has tool \"price\", version s:",
                    Shop.call("price", "sku", "other"), "batch \"b\", call 0: the journal has tool \"price\", arguments ",
                    Shop.call("nobody"),
                    "batch \"b\", call 0: the journal has tool \"price\", this is a call that cannot be run");
            for (Map.Entry<ToolCall, String> each : offered.entrySet()) {
                JournalMismatch mismatch = assertThrows(
                        JournalMismatch.class,
                        () -> way.run(executor, "b", List.of(each.getKey(), calls.get(1)), journal));
                assertTrue(mismatch.getMessage().startsWith(each.getValue()), mismatch.getMessage());
            }
            JournalMismatch fewer = assertThrows(
                    JournalMismatch.class, () -> way.run(executor, "b", calls.subList(0, 1), journal));
            assertEquals("batch \"b\": the journal has 2 calls, this is 1", fewer.getMessage());
            assertEquals(List.of(), memory.events());
            way.run(executor, "b", calls, journal); // the lease was given back
        }
        assertEquals(2, shop.ran.size());
    }

    @ParameterizedTest
    @MethodSource(IN_ORDER)
    void injectedValuesThatCountArePartOfASlot(Way way) throws Exception {
        List<Object> ran = new ArrayList<>();
        BoundTool mine = BoundTool.named("mine")
                .inject("tenant", new InjectedParameter("tenant", true))
                .body((arguments, context) -> ran.add(arguments.get("tenant")));
        try (Journal journal = way.journal(folder)) {
            for (int i = 0; i < 2; i++) {
                try (ToolExecutor executor = withTenant(mine, "t-1").identityKey("k").build()) {
                    way.run(executor, "b", List.of(Shop.call("mine")), journal);
                }
            }
            try (ToolExecutor executor = withTenant(mine, "t-2").identityKey("k").build()) {
                JournalMismatch other = assertThrows(
                        JournalMismatch.class, () -> way.run(executor, "b", List.of(Shop.call("mine")), journal));
                assertTrue(other.getMessage().matches(".*, injected [0-9a-f]{12}, this is .*, injected [0-9a-f]{12}"));
            }
            try (ToolExecutor executor = withTenant(mine, "t-1").build()) {
                Misuse keyless = assertThrows(
                        Misuse.class, () -> way.run(executor, "b", List.of(Shop.call("mine")), journal));
                assertTrue(keyless.getMessage().contains("give the executor an identityKey"));
            }
        }
        assertEquals(List.of("t-1"), ran);
        assertThrows(Misuse.class, () -> ToolExecutor.builder().identityKey(""));
    }

    private static ToolExecutorBuilder withTenant(BoundTool tool, String tenant) {
        return ToolExecutor.builder().tools(tool).inject("tenant", tenant);
    }

    @ParameterizedTest
    @MethodSource(IN_ORDER)
    void anIdIsNeeded(Way way) throws Exception {
        try (Journal journal = way.journal(folder); ToolExecutor executor = ToolExecutor.of()) {
            for (String id : new String[] {null, "", " ", "a\0b", "a\ud800"}) {
                Misuse none = assertThrows(Misuse.class, () -> way.run(executor, id, List.of(), journal));
                assertTrue(none.getMessage().contains("durable batch"));
            }
        }
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void anEmptyBatch(Way way) throws Exception {
        try (Journal journal = way.journal(folder); ToolExecutor executor = ToolExecutor.of()) {
            for (int i = 0; i < 2; i++) {
                assertEquals(List.of(), way.run(executor, "b", List.of(), journal).records());
            }
        }
    }

    @ParameterizedTest
    @MethodSource(IN_ORDER)
    void aRecordThatCannotBeReadBreaksTheJournal(Way way) throws Exception {
        try (Journal journal = new MemoryJournal(); ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools())) {
            way.run(executor, "whole", Shop.CALLS.subList(0, 1), journal);
            Lease from = journal.claim("whole", 1, () -> false);
            StoredCall stored = from.stored().next();
            Lease lease = journal.claim("b", 1, () -> false);
            lease.finish(List.of(new Finished(stored.slot(), stored.record().substring(0, 9), 1, 5)), true);
            JournalException broken = assertThrows(
                    JournalException.class, () -> way.run(executor, "b", Shop.CALLS.subList(0, 1), journal));
            String expected = "the journal in memory cannot be used: the record of call 0 of batch \"b\" cannot be read: ";
            assertTrue(broken.getMessage().startsWith(expected), broken.getMessage());
        }
        assertEquals(1, shop.ran.size());
    }

    @ParameterizedTest
    @MethodSource(ALL)
    void theLastOutcomeGivesTheLeaseBack(Way way) throws Exception {
        try (Journal journal = way.journal(folder); ToolExecutor executor = ToolExecutor.of((Object[]) shop.tools())) {
            for (String id : List.of("b", "c")) {
                ResponseEvent event = way.run(executor, id, Shop.CALLS, journal);
                assertEquals(Shop.CALLS.size(), event.records().size());
                journal.claim(id, Shop.CALLS.size(), () -> false).release(false);
            }
        }
    }

    @Test
    void optionsKeepTheirJournal() {
        Journal journal = new MemoryJournal();
        BatchOptions options = BatchOptions.inParallel(2)
                .withJournal(journal)
                .withFailFast()
                .withCallDeadline(Duration.ofSeconds(1))
                .withDeadline(Duration.ofSeconds(2));
        assertSame(journal, options.journal());
    }
}
