// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.BatchPruned;
import dev.isonomy.contract.Finished;
import dev.isonomy.contract.Journal;
import dev.isonomy.contract.JournalException;
import dev.isonomy.contract.JournalMismatch;
import dev.isonomy.contract.Lease;
import dev.isonomy.contract.LeaseLost;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.NotClaimed;
import dev.isonomy.contract.SlotKey;
import dev.isonomy.contract.StoredCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The journal in a file: what it keeps, who owns a batch, and what a broken file says. */
@Timeout(120)
final class SqliteJournalTest {

    private static final String ARGUMENTS = "ab".repeat(32);

    @TempDir
    private Path folder;

    private Path path;
    private SqliteJournal journal;

    @BeforeEach
    void open() {
        path = folder.resolve("runs.db");
        journal = SqliteJournal.open(path);
    }

    @AfterEach
    void close() {
        journal.close();
    }

    private static SlotKey slot(int position) {
        return new SlotKey(position, "price", "v:1", ARGUMENTS, null);
    }

    private static Finished finished(int position, String record) {
        return new Finished(slot(position), record, 1, 250);
    }

    private static Finished finished(int position) {
        return finished(position, "{\"v\":1}");
    }

    private static List<StoredCall> stored(Lease lease) {
        List<StoredCall> all = new ArrayList<>();
        for (Iterator<StoredCall> each = lease.stored(); each.hasNext(); ) {
            all.add(each.next());
        }
        return all;
    }

    private static List<String> records(Lease lease) {
        List<String> records = new ArrayList<>();
        stored(lease).forEach(each -> records.add(each.record()));
        return records;
    }

    private static long fence(Lease lease) {
        return ((SqliteLease) lease).fence();
    }

    /** As another program writes to the file. */
    private void write(String sql) throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + path);
                Statement statement = other.createStatement()) {
            statement.execute(sql);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatWasFinishedIsThereForTheNextOwner(Synchronous synchronous) throws InterruptedException {
        journal.close();
        journal = SqliteJournal.open(path, synchronous, Journal.LEASE);
        SlotKey charge = new SlotKey(2, "charge", "s:" + "0".repeat(64), ARGUMENTS, "cd".repeat(32));
        Lease lease = journal.claim("b", 3, () -> true);
        long before = System.currentTimeMillis();
        lease.finish(List.of(finished(0, "zero \ud83c\udf88")), false);
        lease.reserve(charge);
        lease.release(false);

        try (SqliteJournal other = SqliteJournal.open(path)) {
            List<StoredCall> stored = stored(other.claim("b", 3, () -> false));
            StoredCall first = stored.get(0);
            assertEquals(slot(0), first.slot());
            assertEquals(List.of(0L, "zero \ud83c\udf88", 1, 250L), List.of(
                    first.seq(), first.record(), first.attempts(), first.durationUs()));
            assertTrue(first.endedMs() >= before && first.endedMs() <= System.currentTimeMillis());
            assertEquals(new StoredCall(charge, 1), stored.get(1));
            assertEquals(2, stored.size());
        }
    }

    @Test
    void aReservationIsFinishedAndStaysFinished() throws InterruptedException {
        Lease lease = journal.claim("b", 1, () -> true);
        lease.reserve(slot(0));
        lease.reserve(slot(0));
        lease.finish(List.of(finished(0, "first")), false);
        assertThrows(LeaseLost.class, () -> lease.finish(List.of(finished(0, "second")), false));
        assertEquals(List.of("first"), records(lease));
    }

    @Test
    void allOutcomesOfOneWriteAreKeptOrNone() throws InterruptedException {
        Lease lease = journal.claim("b", 3, () -> true);
        lease.finish(List.of(finished(1, "first")), false);
        assertThrows(LeaseLost.class, () -> lease.finish(List.of(finished(0), finished(1), finished(2)), false));
        assertEquals(List.of("first"), records(lease));
    }

    @Test
    void aBatchHasOneOwner() throws InterruptedException {
        try (SqliteJournal other = SqliteJournal.open(path)) {
            Lease lease = journal.claim("b", 1, () -> true);
            NotClaimed owned = assertThrows(NotClaimed.class, () -> other.claim("b", 1, () -> false));
            assertEquals("batch \"b\" has another owner", owned.getMessage());
            other.claim("c", 1, () -> false);
            lease.release(true);
            lease.release(true);
            assertEquals(2, fence(other.claim("b", 1, () -> false)));
        }
    }

    @Test
    void whoWaitsGetsItWhenItIsGivenBack() throws Exception {
        Lease lease = journal.claim("b", 1, () -> true);
        CountDownLatch asked = new CountDownLatch(1);
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (SqliteJournal other = SqliteJournal.open(path)) {
            Future<Lease> waiting = thread.submit(() -> other.claim("b", 1, () -> {
                asked.countDown();
                return true;
            }));
            assertTrue(asked.await(20, SECONDS));
            lease.finish(List.of(finished(0)), true);
            assertEquals(2, fence(waiting.get(20, SECONDS)));
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void whoIsInterruptedWaitsNoMore() throws Exception {
        journal.claim("b", 1, () -> true);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> journal.claim("b", 1, () -> true));
        assertFalse(Thread.interrupted());
    }

    @Test
    void aLeaseThatIsNotRenewedIsTakenOver() throws Exception {
        Lease lease = journal.claim("b", 2, () -> true);
        write("UPDATE isonomy_batch SET lease_ends = 1");
        try (SqliteJournal other = SqliteJournal.open(path)) {
            Lease taken = other.claim("b", 2, () -> false);
            assertEquals(2, fence(taken));
            LeaseLost lost = assertThrows(LeaseLost.class, () -> lease.finish(List.of(finished(0)), false));
            assertEquals("the batch has another owner", lost.getMessage());
            assertTrue(lease.isLost());
            assertThrows(LeaseLost.class, () -> lease.reserve(slot(1)));
            lease.release(true); // nothing that it could give back
            taken.finish(List.of(finished(0, "theirs")), false);
            assertEquals(List.of("theirs"), records(taken));
            assertThrows(NotClaimed.class, () -> journal.claim("b", 2, () -> false));
        }
    }

    @Test
    void aLeaseIsRenewedWhileItIsHeld() throws Exception {
        journal.close();
        journal = SqliteJournal.open(path, Synchronous.FULL, Duration.ofMillis(300));
        Lease lease = journal.claim("b", 1, () -> true);
        long[] asked = {System.nanoTime()};
        try (SqliteJournal other = SqliteJournal.open(path)) {
            assertThrows(
                    NotClaimed.class,
                    () -> other.claim("b", 1, () -> System.nanoTime() - asked[0] < 1_200_000_000L)); // four leases
        }
        assertFalse(lease.isLost());
        lease.finish(List.of(finished(0)), true);
    }

    @Test
    void aLeaseThatAnotherTookIsNoticedWhenItIsRenewed() throws Exception {
        journal.close();
        journal = SqliteJournal.open(path, Synchronous.FULL, Duration.ofMillis(300));
        Lease lease = journal.claim("b", 1, () -> true);
        write("UPDATE isonomy_batch SET fence = fence + 1, owner = 'other'");
        while (!lease.isLost()) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDeadOwnerIsTakenOverAtOnce(boolean last) throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp", System.getProperty("java.class.path"), Dying.class.getName(), path.toString(),
                        Boolean.toString(last))
                .inheritIO()
                .start();
        assertTrue(child.waitFor(60, SECONDS));
        assertEquals(128 + 9, child.exitValue());
        assertEquals(List.of("zero"), records(journal.claim("b", 2, () -> false)));
    }

    /** A host that is killed with a batch of its own. */
    static final class Dying {

        private Dying() {}

        public static void main(String[] arguments) throws Exception {
            SqliteJournal journal =
                    SqliteJournal.open(Path.of(arguments[0]), Synchronous.FULL, Duration.ofHours(1));
            Lease lease = journal.claim("b", 2, () -> false);
            lease.finish(List.of(finished(0, "zero")), Boolean.parseBoolean(arguments[1]));
            new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start();
            Thread.sleep(60_000);
        }
    }

    @Test
    void anOwnerThatNobodyKnowsIsNotDead() {
        String mine = Owner.thisProcess();
        assertTrue(mine.matches(".*/" + ProcessHandle.current().pid() + "/[0-9]+/[0-9a-f]{8}"), mine);
        assertFalse(Owner.isDead(mine));
        assertFalse(Owner.isDead("elsewhere/1/1/aa"));
        assertFalse(Owner.isDead("/1/0/aa"));
        assertFalse(Owner.isDead(""));
        String another = mine.replaceFirst("/[0-9]+/([0-9a-f]{8})$", "/1/$1");
        assertEquals(!mine.startsWith("/"), Owner.isDead(another), "the process with that number started at another time");
    }

    @Test
    void anotherNumberOfCallsIsAMismatch() throws InterruptedException {
        journal.claim("b", 2, () -> true).release(true);
        JournalMismatch mismatch = assertThrows(JournalMismatch.class, () -> journal.claim("b", 3, () -> true));
        assertEquals("batch \"b\": the journal has 2 calls, this is 3", mismatch.getMessage());
    }

    @Test
    void aPrunedBatchIsRefused() throws Exception {
        journal.claim("b", 2, () -> true).release(true);
        write("UPDATE isonomy_batch SET state = 'pruned'");
        BatchPruned pruned = assertThrows(BatchPruned.class, () -> journal.claim("b", 2, () -> true));
        assertEquals("batch \"b\" was pruned; its calls may have run", pruned.getMessage());
    }

    @Test
    void whatABatchIsStandsInItsRow() throws Exception {
        Lease lease = journal.claim("b", 1, () -> true);
        assertEquals(List.of("open", "held", "0", "held"), row());
        lease.finish(List.of(finished(0)), true);
        assertEquals(List.of("ended", "null", "1", "null"), row());
        journal.claim("b", 1, () -> true).release(false);
        assertEquals(List.of("ended", "null", "1", "null"), row());
    }

    private List<String> row() throws SQLException {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + path);
                Statement statement = other.createStatement();
                ResultSet row = statement.executeQuery("SELECT state, owner, ended IS NOT NULL, lease_ends FROM isonomy_batch")) {
            return List.of(
                    row.getString(1), row.getString(2) == null ? "null" : "held", row.getString(3),
                    row.getString(4) == null ? "null" : "held");
        }
    }

    @Test
    void manySlotsAreReadPageByPage() throws InterruptedException {
        Lease lease = journal.claim("b", 2_500, () -> true);
        lease.finish(IntStream.range(0, 2_500).mapToObj(i -> finished(i, Integer.toString(i))).toList(), false);
        assertEquals(IntStream.range(0, 2_500).mapToObj(Integer::toString).toList(), records(lease));
    }

    @Test
    void threadsWriteTogether() throws Exception {
        Lease lease = journal.claim("b", 200, () -> true);
        CyclicBarrier barrier = new CyclicBarrier(20);
        ExecutorService threads = Executors.newFixedThreadPool(20);
        try {
            List<Callable<Void>> work = new ArrayList<>();
            for (int thread = 0; thread < 20; thread++) {
                int first = 10 * thread;
                work.add(() -> {
                    barrier.await(20, SECONDS);
                    for (int position = first; position < first + 10; position++) {
                        lease.finish(List.of(finished(position)), false);
                    }
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(work, 60, SECONDS)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
        List<StoredCall> stored = stored(lease);
        assertEquals(
                IntStream.range(0, 200).boxed().toList(), stored.stream().map(each -> each.slot().position()).toList());
        assertEquals(LongStream.range(0, 200).boxed().toList(), stored.stream().map(StoredCall::seq).sorted().toList());
    }

    @Test
    void aFileThatIsNone() throws IOException {
        Path none = folder.resolve("none.db");
        Files.writeString(none, "no database, but some text that is long enough to be looked at ".repeat(20));
        JournalException refused = assertThrows(JournalException.class, () -> SqliteJournal.open(none));
        assertTrue(refused.getMessage().startsWith("the journal " + none + " cannot be used: SQLITE_NOTADB ("));
    }

    @Test
    void aFolderThatIsNotThere() {
        Path none = folder.resolve("none").resolve("runs.db");
        JournalException refused = assertThrows(JournalException.class, () -> SqliteJournal.open(none));
        assertTrue(refused.getMessage().startsWith("the journal " + none + " cannot be used: SQLITE_CANTOPEN ("));
    }

    @Test
    void anotherVersion() throws SQLException {
        write("UPDATE isonomy_journal SET version = 2");
        JournalException refused = assertThrows(JournalException.class, () -> SqliteJournal.open(path));
        assertEquals(
                "the journal " + path + " has version 2, this isonomy reads version 1", refused.getMessage());
    }

    @Test
    void aDiskThatIsFull() throws InterruptedException {
        Lease lease = journal.claim("b", 4, () -> true);
        lease.finish(List.of(finished(0)), false);
        String large = "x".repeat(100_000);
        journal.file.locked(() -> {
            try (ResultSet pages = journal.file.query("PRAGMA page_count")) {
                return journal.file.run("PRAGMA max_page_count = " + pages.getInt(1));
            }
        });
        for (boolean last : new boolean[] {false, true}) { // a statement alone, and a transaction
            JournalException full =
                    assertThrows(JournalException.class, () -> lease.finish(List.of(finished(1, large)), last));
            assertTrue(full.getMessage().contains("cannot be used: SQLITE_FULL ("), full.getMessage());
        }
        journal.file.locked(() -> journal.file.run("PRAGMA max_page_count = 1000000"));
        lease.finish(List.of(finished(2)), false);
        assertEquals(List.of(0, 2), stored(lease).stream().map(each -> each.slot().position()).toList());
        lease.finish(List.of(finished(3)), true);
        assertEquals(2, fence(journal.claim("b", 4, () -> false)));
    }

    @Test
    void closed() throws InterruptedException {
        Lease lease = journal.claim("b", 1, () -> true);
        journal.close();
        journal.close();
        for (JournalException refused : List.of(
                assertThrows(JournalException.class, () -> lease.finish(List.of(finished(0)), false)),
                assertThrows(JournalException.class, () -> journal.claim("c", 1, () -> true)))) {
            assertEquals("the journal " + path + " is closed", refused.getMessage());
        }
    }

    @Test
    void misuse() {
        assertThrows(Misuse.class, () -> SqliteJournal.open(null));
        assertThrows(Misuse.class, () -> SqliteJournal.open(path, null, Journal.LEASE));
        assertThrows(Misuse.class, () -> SqliteJournal.open(path, Synchronous.FULL, Duration.ZERO));
        assertThrows(Misuse.class, () -> SqliteJournal.open(folder.resolve("what?.db")));
    }
}
