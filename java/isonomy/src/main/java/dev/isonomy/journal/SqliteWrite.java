// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import dev.isonomy.contract.Finished;
import dev.isonomy.contract.SlotKey;
import dev.isonomy.contract.StoredCall;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * What one lease wants written, all of it or nothing. Every statement names the fence and writes no row where the batch
 * has another by then (clause J3.3). Not for use by several threads.
 */
final class SqliteWrite {

    private static final String FINISH = """
            INSERT INTO isonomy_call
              (batch, position, tool, version, arguments, injected, seq, record, attempts, ended, duration)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11 FROM isonomy_batch WHERE number = ?1 AND fence = ?12
            ON CONFLICT (batch, position) DO UPDATE
              SET seq = excluded.seq, record = excluded.record, attempts = excluded.attempts, ended = excluded.ended,
                duration = excluded.duration
              WHERE isonomy_call.record IS NULL""";
    private static final String RESERVE = """
            INSERT INTO isonomy_call (batch, position, tool, version, arguments, injected, seq)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 FROM isonomy_batch WHERE number = ?1 AND fence = ?8
            ON CONFLICT (batch, position) DO UPDATE SET seq = seq""";
    private static final String RELEASE = """
            UPDATE isonomy_batch SET owner = NULL, lease_ends = NULL,
              state = CASE WHEN ?3 THEN 'ended' ELSE state END, ended = CASE WHEN ?3 THEN ?4 ELSE ended END
            WHERE number = ?1 AND fence = ?2""";

    private final SqliteLease lease;
    private final List<String> statements = new ArrayList<>(2);
    private final List<Object[]> values = new ArrayList<>(2);

    SqliteWrite(SqliteLease lease) {
        this.lease = lease;
    }

    SqliteLease lease() {
        return lease;
    }

    /** Adds an outcome; a slot that has one stays as it is, and nothing is written. */
    SqliteWrite finish(Finished finished, long seq, long nowMs) {
        SlotKey slot = finished.slot();
        return add(
                FINISH, lease.batch(), slot.position(), slot.tool(), slot.version(), bytes(slot.arguments()),
                bytes(slot.injected()), seq, finished.record(), finished.attempts(), nowMs, finished.durationUs(),
                lease.fence());
    }

    /** Adds a reservation; a slot that is known stays as it is. */
    SqliteWrite reserve(SlotKey slot, long seq) {
        return add(
                RESERVE, lease.batch(), slot.position(), slot.tool(), slot.version(), bytes(slot.arguments()),
                bytes(slot.injected()), seq, lease.fence());
    }

    /** Adds that the lease is given back. */
    SqliteWrite release(boolean ended, long nowMs) {
        return add(RELEASE, lease.batch(), lease.fence(), ended, nowMs);
    }

    private SqliteWrite add(String statement, Object... given) {
        statements.add(statement);
        values.add(given);
        return this;
    }

    /** Whether it is one statement, and so needs no transaction around it. */
    boolean isOne() {
        return statements.size() == 1;
    }

    /** Writes it; false where nothing was written, for the lease is lost. */
    boolean run(SqliteFile file) throws SQLException {
        if (isOne()) {
            return file.run(statements.get(0), values.get(0)) > 0;
        }
        // Others may share the transaction, and theirs is not undone with this.
        file.run("SAVEPOINT one");
        boolean written = true;
        for (int i = 0; written && i < statements.size(); i++) {
            written = file.run(statements.get(i), values.get(i)) > 0;
        }
        if (!written) {
            file.run("ROLLBACK TO one");
        }
        file.run("RELEASE one");
        return written;
    }

    /** The slot in a row: position, tool, version, arguments, injected, seq, record, attempts, ended, duration. */
    static StoredCall stored(ResultSet row) throws SQLException {
        byte[] injected = row.getBytes(5);
        HexFormat hex = HexFormat.of();
        SlotKey slot = new SlotKey(
                row.getInt(1), row.getString(2), row.getString(3), hex.formatHex(row.getBytes(4)),
                injected == null ? null : hex.formatHex(injected));
        long seq = row.getLong(6);
        String record = row.getString(7);
        return record == null
                ? new StoredCall(slot, seq)
                : new StoredCall(slot, seq, record, row.getInt(8), row.getLong(9), row.getLong(10));
    }

    private static byte[] bytes(String digest) {
        return digest == null ? null : HexFormat.of().parseHex(digest);
    }
}
