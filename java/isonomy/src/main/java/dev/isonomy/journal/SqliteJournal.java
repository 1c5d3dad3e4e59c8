// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import dev.isonomy.contract.BatchPruned;
import dev.isonomy.contract.Journal;
import dev.isonomy.contract.JournalException;
import dev.isonomy.contract.JournalMismatch;
import dev.isonomy.contract.Lease;
import dev.isonomy.contract.LeaseLost;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.NotClaimed;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.StoredCall;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Keeps durable batches in a file of SQLite, the default for hosts on one machine (clauses J4.1 to J4.3). Safe for use by
 * several threads, and the file by several processes, in Python too. Needs {@code org.xerial:sqlite-jdbc} on the class
 * path.
 *
 * <pre>{@code
 * try (Journal journal = SqliteJournal.open(Path.of("runs.db"))) {
 *     executor.run(request, BatchOptions.DEFAULT.withJournal(journal));
 * }
 * }</pre>
 */
public final class SqliteJournal implements Journal {

    private static final long ASK_AGAIN_MS = 50;
    /** Slots that are read at once: the memory that a resume takes does not grow with its batch. */
    private static final int PAGE = 1_000;

    private static final String RENEW = """
            UPDATE isonomy_batch SET lease_ends = CASE WHEN owner IS NULL THEN NULL ELSE ?3 END
            WHERE number = ?1 AND fence = ?2""";
    private static final String STORED = """
            SELECT position, tool, version, arguments, injected, seq, record, attempts, ended, duration
            FROM isonomy_call WHERE batch = ? AND position > ? ORDER BY position LIMIT ?""";

    /** Where it is all written. */
    final SqliteFile file;
    private final long leaseMs;
    private final SharedCommits<SqliteWrite> commits;
    private final Renewal<SqliteLease> renewal;

    private SqliteJournal(Path path, Synchronous synchronous, Duration lease) {
        if (path == null || synchronous == null || lease == null || lease.toMillis() < 1) {
            throw new Misuse("a journal has a path, what its commits survive, and a lease of at least a millisecond");
        }
        requireDriver();
        this.leaseMs = lease.toMillis();
        this.file = new SqliteFile(path, synchronous);
        this.commits = new SharedCommits<>(this::carryOut);
        this.renewal = new Renewal<>(this::renew, leaseMs / 3);
    }

    private static void requireDriver() {
        try {
            Class.forName("org.sqlite.JDBC", false, SqliteJournal.class.getClassLoader());
        } catch (ClassNotFoundException missing) {
            throw new Misuse("a journal in SQLite needs org.xerial:sqlite-jdbc on the class path; add that dependency");
        }
    }

    /**
     * Opens a journal whose commits survive the loss of power, with leases of {@link Journal#LEASE}.
     *
     * @param path the file, which is made where it is not there; not on a network
     * @throws JournalException the file cannot be used
     * @throws Misuse the driver is not on the class path
     */
    public static SqliteJournal open(Path path) {
        return open(path, Synchronous.FULL, LEASE);
    }

    /**
     * Opens a journal.
     *
     * @param path the file, which is made where it is not there; not on a network
     * @param synchronous what commits survive (clause J4.3)
     * @param lease how long a batch of a host that is not heard of is not taken over (clause J3.2)
     * @throws JournalException the file cannot be used
     * @throws Misuse an argument is out of its range, or the driver is not on the class path
     */
    public static SqliteJournal open(Path path, Synchronous synchronous, Duration lease) {
        return new SqliteJournal(path, synchronous, lease);
    }

    @Override
    public Lease claim(String batchId, int calls, BooleanSupplier waits) throws InterruptedException {
        String owner = Owner.thisProcess();
        while (true) {
            SqliteLease lease = file.inTransaction(() -> tryToClaim(batchId, calls, owner));
            if (lease != null) {
                renewal.add(lease);
                return lease;
            }
            requireWaiting(waits, batchId);
            Thread.sleep(ASK_AGAIN_MS);
            requireWaiting(waits, batchId); // who has given up meanwhile takes nothing
        }
    }

    private static void requireWaiting(BooleanSupplier waits, String batchId) {
        if (!waits.getAsBoolean()) {
            throw new NotClaimed("batch " + Portable.quoted(batchId) + " has another owner");
        }
    }

    private SqliteLease tryToClaim(String batchId, int calls, String owner) throws SQLException {
        long now = System.currentTimeMillis();
        try (ResultSet row = file.query(
                "SELECT number, calls, state, owner, fence, lease_ends FROM isonomy_batch WHERE id = ?", batchId)) {
            if (row.next()) {
                return tryToTakeOver(batchId, calls, owner, now, row);
            }
        }
        file.run(
                "INSERT INTO isonomy_batch (id, calls, state, owner, fence, lease_ends, begun)"
                        + " VALUES (?, ?, 'open', ?, 1, ?, ?)",
                batchId, calls, owner, now + leaseMs, now);
        return new SqliteLease(this, number("SELECT last_insert_rowid()"), 1, 0);
    }

    private SqliteLease tryToTakeOver(String batchId, int calls, String owner, long now, ResultSet row)
            throws SQLException {
        long number = row.getLong("number");
        long fence = row.getLong("fence");
        String heldBy = row.getString("owner");
        String told = "batch " + Portable.quoted(batchId);
        if ("pruned".equals(row.getString("state"))) {
            throw new BatchPruned(told + " was pruned; its calls may have run");
        }
        if (row.getInt("calls") != calls) {
            throw new JournalMismatch(
                    told + ": the journal has " + row.getInt("calls") + " calls, this is " + calls);
        }
        if (heldBy != null && row.getLong("lease_ends") > now && !Owner.isDead(heldBy)) {
            return null;
        }
        file.run(
                "UPDATE isonomy_batch SET owner = ?, fence = fence + 1, lease_ends = ? WHERE number = ?",
                owner, now + leaseMs, number);
        long seq = number("SELECT coalesce(max(seq), -1) + 1 FROM isonomy_call WHERE batch = ?", number);
        return new SqliteLease(this, number, fence + 1, seq);
    }

    private long number(String sql, Object... values) throws SQLException {
        try (ResultSet row = file.query(sql, values)) {
            return row.getLong(1);
        }
    }

    @Override
    public String where() {
        return file.where();
    }

    /** Closes the file; leases that are still held end by themselves. More calls do nothing. */
    @Override
    public void close() {
        renewal.close();
        file.close();
    }

    // For leases ----------------------------------------------------------------------------------

    /** Writes for a lease, and returns once that is durable. */
    void write(SqliteWrite write) {
        commits.write(write);
    }

    /** Renews a lease no more. */
    void letGo(SqliteLease lease) {
        renewal.discard(lease);
    }

    /** The slots of a batch behind a position, at most a page. */
    List<StoredCall> read(long batch, int after) {
        return file.locked(() -> {
            List<StoredCall> page = new ArrayList<>();
            try (ResultSet row = file.query(STORED, batch, after, PAGE)) {
                while (row.next()) {
                    page.add(SqliteWrite.stored(row));
                }
            }
            return page;
        });
    }

    private List<JournalException> carryOut(List<SqliteWrite> writes) {
        List<JournalException> ended = new ArrayList<>(writes.size());
        if (writes.size() == 1 && writes.get(0).isOne()) {
            ended.add(told(writes.get(0), file.locked(() -> writes.get(0).run(file))));
            return ended;
        }
        List<Boolean> written = file.inTransaction(() -> {
            List<Boolean> each = new ArrayList<>(writes.size());
            for (SqliteWrite write : writes) {
                each.add(write.run(file));
            }
            return each;
        });
        for (int i = 0; i < writes.size(); i++) {
            ended.add(told(writes.get(i), written.get(i)));
        }
        return ended;
    }

    private static LeaseLost told(SqliteWrite write, boolean written) {
        if (written) {
            return null;
        }
        write.lease().lose();
        return new LeaseLost("the batch has another owner");
    }

    private void renew(List<SqliteLease> leases) {
        long ends = System.currentTimeMillis() + leaseMs;
        List<SqliteLease> lost = file.inTransaction(() -> {
            List<SqliteLease> others = new ArrayList<>();
            for (SqliteLease lease : leases) {
                if (file.run(RENEW, lease.batch(), lease.fence(), ends) == 0) {
                    others.add(lease);
                }
            }
            return others;
        });
        for (SqliteLease lease : lost) {
            lease.lose();
            renewal.discard(lease);
        }
    }
}
