// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isonomy.contract.JournalException;
import dev.isonomy.contract.Misuse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.sqlite.JDBC;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * One file of SQLite with the tables of a journal, and the one connection to it (clauses J4.1 and J4.3). Safe for use by
 * several threads, one at a time; their interruption changes nothing. Whatever SQLite refuses is a
 * {@link JournalException}. This is the one class that names the driver's; it can be loaded only where that is there.
 */
final class SqliteFile {

    private static final int VERSION = 1;
    private static final int BUSY_MS = 30_000;

    /** Work on the connection. */
    @FunctionalInterface
    interface Work<T> {
        /** Does it. */
        T run() throws SQLException;
    }

    private final Path path;
    private final Synchronous synchronous;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private Connection connection;
    private boolean closed;

    /**
     * Opens the file, which is made where it is not there.
     *
     * @throws Misuse the path is none that the driver takes
     * @throws JournalException the file cannot be used
     */
    SqliteFile(Path path, Synchronous synchronous) {
        this.path = path;
        this.synchronous = synchronous;
        if (path.toString().indexOf('?') >= 0) {
            throw new Misuse("the driver takes no file with a ? in its path; name " + path + " otherwise");
        }
        locked(() -> connection());
    }

    /** What messages call it. */
    String where() {
        return "the journal " + path;
    }

    /** Does something that is one statement, which is a transaction of its own. */
    <T> T locked(Work<T> work) {
        lock.lock();
        try {
            connection();
            return work.run();
        } catch (SQLException failed) {
            throw unusable(failed);
        } finally {
            lock.unlock();
        }
    }

    /** Does something in one transaction that writes: committed at its end, undone where anything is thrown. */
    <T> T inTransaction(Work<T> work) {
        return locked(() -> {
            run("BEGIN IMMEDIATE");
            boolean done = false;
            try {
                T result = work.run();
                run("COMMIT");
                done = true;
                return result;
            } finally {
                if (!done) {
                    undo();
                }
            }
        });
    }

    /** Runs a statement that writes, and gives how many rows it wrote; for {@link Work}. */
    int run(String sql, Object... values) throws SQLException {
        PreparedStatement statement = statement(sql, values);
        try {
            return statement.execute() ? 0 : statement.getUpdateCount();
        } catch (SQLException failed) {
            prepared.remove(sql); // the driver has closed it
            throw failed;
        }
    }

    /** Runs a query; its result is to be closed. For {@link Work}. */
    ResultSet query(String sql, Object... values) throws SQLException {
        PreparedStatement statement = statement(sql, values);
        try {
            return statement.executeQuery();
        } catch (SQLException failed) {
            prepared.remove(sql); // as above
            throw failed;
        }
    }

    private PreparedStatement statement(String sql, Object[] values) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            prepared.put(sql, statement);
        }
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }

    /** Undoes a transaction, unless SQLite has; a connection that cannot is given up, which undoes it too. */
    private void undo() throws SQLException {
        try {
            run("ROLLBACK");
        } catch (SQLException undone) {
            disconnect();
        }
    }

    /** Closes the connection for good; more calls do nothing. */
    void close() {
        lock.lock();
        try {
            closed = true;
            disconnect();
        } catch (SQLException failed) {
            throw unusable(failed);
        } finally {
            lock.unlock();
        }
    }

    private void disconnect() throws SQLException {
        prepared.clear();
        if (connection != null) {
            Connection old = connection;
            connection = null;
            old.close();
        }
    }

    // Opening -------------------------------------------------------------------------------------

    private Connection connection() throws SQLException {
        if (closed) {
            throw new JournalException(where() + " is closed");
        }
        if (connection == null) {
            Connection opened = open();
            boolean sound = false;
            try {
                int version = version(opened);
                if (version != VERSION) {
                    throw new JournalException(
                            where() + " has version " + version + ", this isonomy reads version " + VERSION);
                }
                sound = true;
            } finally {
                if (!sound) {
                    opened.close();
                }
            }
            connection = opened;
        }
        return connection;
    }

    private Connection open() throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_MS);
        Connection opened;
        try {
            opened = JDBC.createConnection(JDBC.PREFIX + path.toAbsolutePath(), config.toProperties());
        } catch (SQLiteException failed) {
            throw failed;
        } catch (SQLException failed) { // the driver looks at the folder before it asks SQLite
            throw new SQLiteException(failed.getMessage(), SQLiteErrorCode.SQLITE_CANTOPEN);
        }
        boolean sound = false;
        try (Statement statement = opened.createStatement()) {
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = " + synchronous);
            statement.execute("BEGIN IMMEDIATE");
            if (!hasTables(statement)) {
                for (String table : tables()) {
                    statement.execute(table);
                }
            }
            statement.execute("COMMIT");
            sound = true;
            return opened;
        } finally {
            if (!sound) {
                opened.close();
            }
        }
    }

    private static boolean hasTables(Statement statement) throws SQLException {
        try (ResultSet known =
                statement.executeQuery("SELECT count(*) FROM sqlite_master WHERE name = 'isonomy_journal'")) {
            return known.getInt(1) > 0;
        }
    }

    private static List<String> tables() {
        try (InputStream text = SqliteFile.class.getResourceAsStream("journal-sqlite.sql")) {
            if (text == null) {
                throw new IllegalStateException("journal-sqlite.sql is missing beside its class");
            }
            List<String> statements = new ArrayList<>();
            for (String statement : new String(text.readAllBytes(), UTF_8).split(";\n")) {
                if (!statement.isBlank()) {
                    statements.add(statement);
                }
            }
            return statements;
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static int version(Connection opened) throws SQLException {
        try (Statement statement = opened.createStatement();
                ResultSet versions = statement.executeQuery("SELECT min(version), count(*) FROM isonomy_journal")) {
            return versions.getInt(2) == 1 ? versions.getInt(1) : -1;
        }
    }

    private JournalException unusable(SQLException failed) {
        String name = failed.getClass().getSimpleName();
        String told = failed.getMessage();
        if (failed instanceof SQLiteException ours) {
            SQLiteErrorCode code = ours.getResultCode();
            name = code.name();
            // For the plain error, SQLite's own words say more than the name of the code.
            told = code == SQLiteErrorCode.SQLITE_ERROR ? told : code.message;
        }
        return new JournalException(where() + " cannot be used: " + name + " (" + told + ")", failed);
    }
}
