// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import dev.isonomy.contract.ChildProcess;
import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.IsonomyException;
import dev.isonomy.contract.Misuse;
import dev.isonomy.contract.Settled;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.ToolContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Workers that share calls; each is replaced when it is lost or retired (W5 of spec/wire.md). Safe for use by several
 * threads.
 */
public final class WorkerPool implements AutoCloseable {

    /** So many starts in a row may fail before calls that wait for a worker are told. */
    private static final int ATTEMPTS = 3;
    /** A worker that ends without a call in this time counts as one that failed to start. */
    private static final long YOUNG_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Between starts, by how many failed in a row; the last one for all others. */
    private static final long[] PAUSES_MILLIS = {0, 100, 400, 1_000, 2_000, 5_000, 10_000};
    private static final long DEAD_MILLIS = 2_000;

    private static final Settled CLOSED = Settled.of(
            ErrorKind.INTERNAL, "the workers of this tool were closed and take no calls", Effect.NONE);

    private final Program program;
    private final int size;
    private final int callsPerWorker;
    private final Duration grace;
    private final ScheduledThreadPoolExecutor later = new ScheduledThreadPoolExecutor(1, work -> {
        Thread thread = new Thread(work, "isonomy-worker-grace");
        thread.setDaemon(true);
        return thread;
    });

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Guarded by the lock.
    /** Every worker that has not ended, whether it gets calls or not. */
    private final Set<WorkerProcess> all = new HashSet<>();
    private final List<WorkerProcess> live = new ArrayList<>();
    private final Set<Process> starting = new HashSet<>();
    /** How many workers are being started, or wait to be. */
    private int coming;
    private int failures;
    private String why;
    private long againAt;
    private boolean closed;

    /**
     * A pool, with no worker yet.
     *
     * @param program what its workers run
     * @param size how many there are
     * @param callsPerWorker how many calls one has at most at the same time; 0: no limit
     * @param grace how long a body may take to end after its call was cancelled, before its worker is retired; and how
     *     long {@link #close} allows calls to end
     */
    public WorkerPool(Program program, int size, int callsPerWorker, Duration grace) {
        if (size < 1 || callsPerWorker < 0 || grace.isNegative()) {
            throw new Misuse("a pool has at least 1 worker, at least 1 call per worker (or 0 for no limit) and a grace"
                    + " that is not negative; got " + size + ", " + callsPerWorker + " and " + grace);
        }
        this.program = program;
        this.size = size;
        this.callsPerWorker = callsPerWorker;
        this.grace = grace;
        later.setKeepAliveTime(10, TimeUnit.SECONDS);
        later.allowCoreThreadTimeOut(true);
        // Once all workers are ended there is nobody left to be looked after.
        later.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    // Beginning -----------------------------------------------------------------------------------

    /**
     * Starts all workers and returns the tools that they told of.
     *
     * @throws WorkerUnavailable one of them cannot be started; none is left then
     */
    public List<BoundTool> begin() {
        List<WorkerUnavailable> failed = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 1; i < size; i++) {
            threads.add(start(() -> beginOne(failed)));
        }
        beginOne(failed);
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException cancelled) {
                    interrupted = true;
                    close(Duration.ZERO);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        lock.lock();
        try {
            if (failed.isEmpty() && !live.isEmpty()) {
                return live.get(0).tools.stream()
                        .map(told -> (BoundTool) WorkerTool.of(told, program.language(), this))
                        .toList();
            }
        } catch (IsonomyException malformed) {
            failed.add(new WorkerUnavailable(
                    program.what() + " does not speak as a worker: " + malformed.getMessage()));
        } finally {
            lock.unlock();
        }
        close(Duration.ZERO);
        throw failed.isEmpty() ? new WorkerUnavailable(program.what() + " ended right after its start") : failed.get(0);
    }

    private void beginOne(List<WorkerUnavailable> failed) {
        try {
            add(startOne());
        } catch (WorkerUnavailable unavailable) {
            lock.lock();
            try {
                failed.add(unavailable);
            } finally {
                lock.unlock();
            }
        }
    }

    private WorkerProcess startOne() {
        Process[] process = new Process[1];
        try {
            return WorkerStart.of(program, begun -> {
                process[0] = begun;
                lock.lock();
                try {
                    starting.add(begun);
                    if (closed) {
                        ChildProcess.of(begun).kill();
                    }
                } finally {
                    lock.unlock();
                }
            });
        } finally {
            lock.lock();
            try {
                starting.remove(process[0]);
            } finally {
                lock.unlock();
            }
        }
    }

    private void add(WorkerProcess worker) {
        boolean late;
        lock.lock();
        try {
            late = closed;
            all.add(worker);
            if (!late) {
                live.add(worker);
                why = null;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        worker.watch(this::ended);
        if (late) {
            worker.kill();
        }
    }

    private static Thread start(Runnable work) {
        Thread thread = new Thread(work, "isonomy-worker-start");
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    // Calls ---------------------------------------------------------------------------------------

    /** What came of a call: the envelope of its outcome, or what is settled where there is none. */
    record Answer(byte[] envelope, Settled settled) {}

    int limit() {
        return program.maxFrame();
    }

    /**
     * Has a call answered by a worker.
     *
     * @throws InterruptedException the current thread was interrupted; the call is cancelled
     */
    Answer carry(byte[] request, ToolContext context) throws InterruptedException {
        while (true) {
            Pending call = new Pending(context);
            WorkerProcess worker;
            lock.lockInterruptibly();
            try {
                Settled none = null;
                worker = null;
                while (none == null && worker == null) {
                    worker = leastBusy();
                    none = worker == null ? noneComes() : null;
                    if (worker == null && none == null) {
                        changed.await();
                    }
                }
                if (none != null) {
                    return new Answer(null, none);
                }
                worker.given.add(call);
                worker.hasServed = true;
            } finally {
                lock.unlock();
            }
            byte[] envelope = carry(request, call, worker);
            if (envelope != null) {
                return new Answer(envelope, null);
            }
            if (call.number != 0) {
                return new Answer(null, worker.lost());
            }
        }
    }

    /** The envelope; null where the call was lost, or, with its number 0 again, where no byte of it was written. */
    private byte[] carry(byte[] request, Pending call, WorkerProcess worker) throws InterruptedException {
        boolean gaveUp = false;
        try {
            if (worker.link.send(request, call)) {
                return worker.link.await(call);
            }
            call.number = 0;
            return null;
        } catch (Lost lost) {
            return null;
        } catch (InterruptedException cancelled) {
            gaveUp = call.number != 0;
            throw cancelled;
        } finally {
            if (!gaveUp || !worker.link.abandon(call, () -> giveBack(worker, call))) {
                giveBack(worker, call);
            } else {
                afterGrace(() -> overdue(worker, call));
                worker.link.cancel(call);
            }
        }
    }

    private WorkerProcess leastBusy() {
        if (closed) {
            return null;
        }
        WorkerProcess best = null;
        for (int i = 0; i < live.size(); i++) {
            WorkerProcess worker = live.get(i);
            if ((best == null || worker.given.size() < best.given.size()) && worker.isUsable()) {
                best = worker;
            }
        }
        return best == null || (callsPerWorker > 0 && best.given.size() >= callsPerWorker) ? null : best;
    }

    /** Why no worker will come for a call, null where one will. */
    private Settled noneComes() {
        if (closed) {
            return CLOSED;
        }
        if (live.isEmpty() && coming == 0) {
            if (why != null && System.nanoTime() - againAt < 0) {
                return Settled.of(
                        ErrorKind.CONNECTION_LOST, "no worker could be started: " + why, Effect.NONE);
            }
            replace();
        }
        return null;
    }

    private void giveBack(WorkerProcess worker, Pending call) {
        boolean done;
        lock.lock();
        try {
            worker.given.remove(call);
            worker.overdue.remove(call);
            done = worker.retired && worker.overdue.containsAll(worker.given);
            if (callsPerWorker > 0) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
        if (done) {
            worker.kill();
        }
    }

    /** Retires a worker whose call goes on after its grace (W5.4). */
    private void overdue(WorkerProcess worker, Pending call) {
        boolean alone;
        lock.lock();
        try {
            if (!worker.given.contains(call)) {
                return;
            }
            worker.overdue.add(call);
            worker.retired = true;
            if (live.remove(worker)) {
                replace();
            }
            alone = worker.overdue.containsAll(worker.given);
        } finally {
            lock.unlock();
        }
        if (alone) {
            worker.kill();
        } else {
            afterGrace(worker::kill);
        }
    }

    private void afterGrace(Runnable job) {
        later.schedule(job, grace.toNanos(), TimeUnit.NANOSECONDS);
    }

    // Replacing -----------------------------------------------------------------------------------

    private void ended(WorkerProcess worker) {
        lock.lock();
        try {
            all.remove(worker);
            if (!worker.hasServed && !worker.retired && System.nanoTime() - worker.readyAt < YOUNG_NANOS) {
                failed(worker.lost().error().message() + " right after its start");
            } else {
                failures = 0;
            }
            changed.signalAll();
            if (live.remove(worker)) {
                replace();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Starts a worker on a thread, where one is missing; with the lock held. */
    private void replace() {
        if (closed || live.size() + coming >= size || failures >= ATTEMPTS && System.nanoTime() - againAt < 0) {
            return;
        }
        coming++;
        boolean started = false;
        try {
            start(this::bring);
            started = true;
        } finally {
            if (!started) { // there is no memory for a thread
                coming--;
            }
        }
    }

    private void bring() {
        WorkerProcess worker = null;
        while (worker == null) {
            boolean told = false;
            try {
                worker = startOne();
                told = true;
            } catch (WorkerUnavailable unavailable) {
                told = true;
                if (!startsAgain(unavailable.getMessage())) {
                    return;
                }
            } finally {
                if (!told) { // this thread ends with what it met: nobody is to wait for it
                    giveUp("its start broke");
                }
            }
        }
        lock.lock();
        try {
            coming--;
        } finally {
            lock.unlock();
        }
        add(worker);
    }

    private void giveUp(String reason) {
        lock.lock();
        try {
            failed(reason);
            coming--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean startsAgain(String reason) {
        lock.lock();
        try {
            failed(reason);
            while (!closed && failures < ATTEMPTS && againAt - System.nanoTime() > 0) {
                changed.awaitNanos(againAt - System.nanoTime());
            }
            if (!closed && failures < ATTEMPTS) {
                return true;
            }
        } catch (InterruptedException ending) {
            // as if it were closed: nobody but the end of the program interrupts this thread
        } finally {
            lock.unlock();
        }
        lock.lock();
        try {
            coming--;
            changed.signalAll();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void failed(String reason) {
        why = reason;
        failures++;
        long pause = PAUSES_MILLIS[Math.min(failures, PAUSES_MILLIS.length - 1)];
        againAt = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pause);
    }

    // The end -------------------------------------------------------------------------------------

    /** The processes of the workers that get calls. */
    public List<Long> pids() {
        lock.lock();
        try {
            return live.stream().map(WorkerProcess::pid).toList();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all workers; calls in flight have the grace to end. Idempotent and bounded in time. */
    @Override
    public void close() {
        close(grace);
    }

    private void close(Duration timeout) {
        List<WorkerProcess> workers;
        lock.lock();
        try {
            closed = true;
            starting.forEach(each -> ChildProcess.of(each).kill());
            workers = List.copyOf(all);
            live.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        workers.forEach(worker -> worker.link.close());
        long endsAt = System.nanoTime() + timeout.toNanos();
        for (WorkerProcess worker : workers) {
            if (!worker.hasEnded(TimeUnit.NANOSECONDS.toMillis(Math.max(0, endsAt - System.nanoTime())))) {
                worker.kill();
            }
        }
        workers.forEach(worker -> worker.hasEnded(DEAD_MILLIS));
        later.shutdownNow();
    }
}
