// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.isonomy.contract.BridgeReply;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.Envelope;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Finished;
import dev.isonomy.contract.Journal;
import dev.isonomy.contract.JournalException;
import dev.isonomy.contract.JournalMismatch;
import dev.isonomy.contract.Lease;
import dev.isonomy.contract.Limits;
import dev.isonomy.contract.Mapping;
import dev.isonomy.contract.Outcome;
import dev.isonomy.contract.Portable;
import dev.isonomy.contract.PortableException;
import dev.isonomy.contract.Raised;
import dev.isonomy.contract.Returned;
import dev.isonomy.contract.Settled;
import dev.isonomy.contract.SlotKey;
import dev.isonomy.contract.StoredCall;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.contract.ToolResponse;
import dev.isonomy.contract.ToolSuccess;
import dev.isonomy.tools.Boundary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one batch that is kept has to do with its journal: what is reused, what is written, and when (clause 13). Safe for
 * use by several threads.
 */
final class Durable {

    private static final Logger LOGGER = LoggerFactory.getLogger(Durable.class);

    /**
     * A call that finished in an earlier run.
     *
     * @param seq in which order it was written
     * @param decoded the paths that were decoded then (clause 7.6)
     */
    record Reused(int position, long seq, ToolResponse response, List<String> decoded) {}

    /** An outcome as JSON (clause J2.1), and the response that it means. */
    private record Written(byte[] record, ToolResponse response) {
        static Written of(Outcome outcome, List<String> decoded) {
            byte[] record = Envelope.encodeReply(new BridgeReply(outcome, decoded, List.of()), Limits.NONE);
            return new Written(record, Mapping.toResponse(Envelope.readReply(record).outcome()));
        }
    }

    private final Lease lease;
    private final SlotKey[] slots;
    private final List<Reused> reused;
    private volatile String failed;

    // Guarded by this object's lock, which is never held while the journal writes.
    /** How many calls have not ended. */
    private int left;
    private int writing;
    private boolean released;

    private Durable(Lease lease, SlotKey[] slots, List<Reused> reused) {
        this.lease = lease;
        this.slots = slots;
        this.reused = reused;
        this.left = slots.length - reused.size();
    }

    /**
     * Becomes the owner of a batch.
     *
     * @throws JournalMismatch the journal has other calls for it
     * @throws JournalException the journal cannot be used
     * @throws dev.isonomy.contract.NotClaimed {@code waits} said no
     */
    static Durable claim(Journal journal, String id, SlotKey[] slots, BooleanSupplier waits)
            throws InterruptedException {
        Lease lease = journal.claim(id, slots.length, waits);
        boolean claimed = false;
        try {
            String batch = "batch " + Portable.quoted(id);
            List<Reused> reused = new ArrayList<>();
            for (Iterator<StoredCall> each = lease.stored(); each.hasNext(); ) {
                StoredCall stored = each.next();
                check(stored.slot(), slots, batch);
                if (stored.record() != null) {
                    reused.add(read(stored, journal, batch));
                }
            }
            reused.sort(Comparator.comparingLong(Reused::seq));
            claimed = true;
            return new Durable(lease, slots, reused);
        } finally {
            if (!claimed) {
                giveBack(lease, false);
            }
        }
    }

    private static void check(SlotKey stored, SlotKey[] slots, String batch) {
        SlotKey offered = stored.position() < slots.length ? slots[stored.position()] : null;
        if (!stored.equals(offered)) {
            throw new JournalMismatch(batch + ", call " + stored.position() + ": the journal has "
                    + (offered == null ? "tool \"" + stored.tool() + "\"" : stored.told(offered)) + ", this is "
                    + (offered == null ? "a call that cannot be run" : offered.told(stored)));
        }
    }

    private static Reused read(StoredCall stored, Journal journal, String batch) {
        int position = stored.slot().position();
        try {
            BridgeReply reply = Envelope.readReply(stored.record().getBytes(UTF_8));
            return new Reused(position, stored.seq(), Mapping.toResponse(reply.outcome()), reply.decoded());
        } catch (PortableException broken) {
            throw new JournalException(
                    journal.where() + " cannot be used: the record of call " + position + " of " + batch
                            + " cannot be read: " + broken.getMessage(),
                    broken);
        }
    }

    /** What finished before, in the order in which it was written. */
    List<Reused> reused() {
        return reused;
    }

    /** Whether nothing more is to be started: the journal failed, or another host owns the batch. */
    boolean isBroken() {
        return failed != null || lease.isLost();
    }

    /** Writes how a call ended, once; gives the response that has been written (clauses 13.5 to 13.7). */
    ToolResponse end(int position, Outcome outcome, ToolResponse response, List<String> decoded, long durationUs) {
        Written written = written(kept(outcome, response), decoded);
        boolean stores = slots[position] != null && !isFree(written.response);
        boolean last;
        synchronized (this) {
            left--;
            // A write of another call that goes on must find the lease held.
            last = stores && left == 0 && writing == 0;
            writing += stores ? 1 : 0;
        }
        if (!stores) {
            return written.response;
        }
        Finished finished = new Finished(slots[position], new String(written.record, UTF_8), 1, durationUs);
        String reason = write(finished, last);
        synchronized (this) {
            writing--;
            released |= last && reason == null;
        }
        if (reason == null) {
            return written.response;
        }
        failed = reason;
        return new ToolFailure(Settled.of(
                        ErrorKind.INTERNAL, "the outcome could not be written to the journal: " + reason,
                        Effect.POSSIBLE)
                .error());
    }

    /** Writes an outcome; gives why that failed, or null. A journal of the host's own make may throw anything. */
    private String write(Finished finished, boolean last) {
        Outcome end = Boundary.run(
                () -> {
                    lease.finish(List.of(finished), last);
                    return null;
                },
                Boundary.NOTHING_PASSES);
        return end instanceof Raised raised ? raised.error().message() : null;
    }

    /** Gives the lease back, unless that was done with the last outcome; more calls do nothing. */
    void over(boolean ended) {
        synchronized (this) {
            if (released) {
                return;
            }
            released = true;
        }
        giveBack(lease, ended && failed == null);
    }

    private static void giveBack(Lease lease, boolean ended) {
        try {
            lease.release(ended);
        } catch (JournalException failed) { // the lease ends by itself
            LOGGER.warn("a lease could not be given back: {}", failed.getMessage());
        }
    }

    /** Whether a response is never stored: it is known that nothing was done (clause 13.2). */
    private static boolean isFree(ToolResponse response) {
        return response instanceof ToolFailure failure && failure.error().effect() == Effect.NONE;
    }

    /** What is written of an outcome; one that cannot be written, or read again, is settled. */
    private static Written written(Outcome outcome, List<String> decoded) {
        Outcome end = Boundary.run(() -> Written.of(outcome, decoded), Boundary.NOTHING_PASSES);
        if (end instanceof Returned returned && returned.value() instanceof Written written) {
            return written;
        }
        String reason = end instanceof Raised raised ? raised.error().type() : "no reason is known";
        return Written.of(
                Settled.of(ErrorKind.INTERNAL, "the result cannot be examined: " + reason, Effect.POSSIBLE), decoded);
    }

    /**
     * The outcome that is written: how it ended, and what its response says of it, which has what redaction and the limits
     * left (clause J2.1).
     */
    private static Outcome kept(Outcome outcome, ToolResponse response) {
        if (response instanceof ToolSuccess success) {
            boolean bare = success.content().isEmpty() && success.meta().isEmpty();
            return new Returned(bare ? success.result() : success);
        }
        ToolFailure failure = (ToolFailure) response;
        if (outcome instanceof Returned && failure.error().kind() == ErrorKind.TOOL_ERROR) {
            return new Returned(failure);
        }
        if (outcome instanceof Raised raised && failure.error().kind() == ErrorKind.EXCEPTION) {
            return new Raised(Mapping.errorInfo(failure.error()));
        }
        return new Settled(failure.error(), failure.content(), failure.meta());
    }
}
