// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.bridge.workers;

import dev.isonomy.bridge.WireSocket;
import dev.isonomy.contract.BrokenWireException;
import dev.isonomy.contract.Frame;
import dev.isonomy.contract.FrameType;
import dev.isonomy.contract.LogLine;
import dev.isonomy.contract.Progress;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The host's end of one connection to a worker. No thread of its own reads: of the callers that wait, one does, and
 * hands the others what is theirs, so that a lone call costs no change of threads. Safe for use by several threads.
 */
final class Link {

    /** How long a frame that was begun may take once its sender is interrupted. */
    private static final long PATIENCE_MILLIS = 1_000;
    /** How long the end of a connection waits for a frame that is being sent. */
    private static final long TURN_MILLIS = 100;

    private final WireSocket socket;
    /** Held while a frame is sent: numbers rise on the wire. */
    private final ReentrantLock sending = new ReentrantLock();
    private long number;

    // Guarded by the lock of this object.
    private final Map<Long, Pending> pending = new HashMap<>();
    /** Calls whose cancellation is still to be sent. */
    private final Deque<Pending> cancels = new ArrayDeque<>();
    private Thread reader;
    private boolean kept;
    private boolean over;
    private Runnable whenOver = () -> {};
    /** Set once the process is gone: what it sent is still there to be read, and no end of the stream need come. */
    private volatile boolean exited;

    Link(WireSocket socket) {
        this.socket = socket;
    }

    /** Has something run once the connection has ended. */
    synchronized void whenOver(Runnable told) {
        whenOver = told;
    }

    /** Whether it has ended: no call can be sent, and none gets an outcome. */
    synchronized boolean isOver() {
        return over;
    }

    // Sending -------------------------------------------------------------------------------------

    /**
     * Sends a call.
     *
     * @return false where the connection has ended before a byte of it was written
     * @throws Lost the connection ended under way
     * @throws InterruptedException before a byte was written
     */
    boolean send(byte[] request, Pending call) throws Lost, InterruptedException {
        sending.lockInterruptibly();
        try {
            Frame frame = new Frame(FrameType.CALL, number + 1, request);
            synchronized (this) {
                if (over || exited) {
                    return false;
                }
                call.number = ++number;
                pending.put(call.number, call);
            }
            return write(frame);
        } finally {
            sending.unlock();
            sendCancels();
        }
    }

    /** Sends a frame; false where no byte of it was written, and the connection has ended. */
    private boolean write(Frame frame) throws Lost {
        try {
            socket.send(frame, PATIENCE_MILLIS);
            return true;
        } catch (WireSocket.Unsent gone) {
            end();
            return false;
        } catch (IOException gone) {
            end();
            throw new Lost();
        }
    }

    /**
     * Tells the worker that nobody waits for a call; nothing where its outcome has come. Never waits for a worker that
     * does not read: it is told with what is sent next (W4.4).
     */
    void cancel(Pending call) {
        synchronized (this) {
            cancels.add(call);
        }
        sendCancels();
    }

    /** Where somebody else is sending, that thread comes by here when it has done so. */
    private void sendCancels() {
        boolean through = true;
        while (through && nextCancelled() != null && sending.tryLock()) {
            try {
                through = cancelNext();
            } finally {
                sending.unlock();
            }
        }
    }

    private synchronized Pending nextCancelled() {
        return cancels.peekFirst();
    }

    /** Sends the first cancellation that is still to be sent; false where the worker does not take it now. */
    private boolean cancelNext() {
        Pending call = nextCancelled();
        if (call == null) {
            return false; // somebody else was faster
        }
        if (isOpen(call) && !told(new Frame(FrameType.CANCEL, call.number))) {
            return false;
        }
        synchronized (this) {
            cancels.removeFirst();
        }
        return true;
    }

    /**
     * Tells the worker that no call comes any more; it ends once it has answered those it has. Not where somebody is in
     * the midst of sending, or the worker does not read: such a worker is ended otherwise.
     */
    void close() {
        boolean interrupted = Thread.interrupted();
        try {
            if (sending.tryLock(TURN_MILLIS, TimeUnit.MILLISECONDS)) {
                try {
                    if (!isOver()) {
                        told(new Frame(FrameType.CLOSE, 0));
                    }
                } finally {
                    sending.unlock();
                }
            }
        } catch (InterruptedException later) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Sends a small frame; false where the worker does not take it now. One that is gone needs to be told nothing. */
    private boolean told(Frame frame) {
        try {
            return socket.trySend(frame);
        } catch (IOException gone) {
            end();
            return true;
        }
    }

    private synchronized boolean isOpen(Pending call) {
        return !over && pending.containsKey(call.number);
    }

    // Waiting -------------------------------------------------------------------------------------

    /**
     * Waits for the outcome of a call that was sent.
     *
     * @throws Lost the connection ended before
     * @throws InterruptedException the current thread was interrupted; the call goes on
     */
    byte[] await(Pending call) throws Lost, InterruptedException {
        Thread me = Thread.currentThread();
        while (true) {
            synchronized (this) {
                if (call.reply != null) {
                    return call.reply;
                }
                if (over) {
                    throw new Lost();
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                call.sleeper = reader == null ? null : me;
                if (reader == null) {
                    reader = me;
                }
            }
            if (call.sleeper == null) {
                read(call);
            } else {
                LockSupport.park(this);
            }
        }
    }

    /**
     * Says that nobody waits for a call any more whose outcome has not come; somebody else reads from now on, if there
     * is anybody, and a thread of ours if not.
     *
     * @param ended run when its outcome comes; not where the connection ends before
     * @return false where the outcome has come, or the connection has ended
     */
    boolean abandon(Pending call, Runnable ended) {
        synchronized (this) {
            call.sleeper = null;
            if (call.reply != null || over) {
                return false;
            }
            call.whenAbandoned = ended;
        }
        nextReader();
        return true;
    }

    private void read(Pending call) {
        try {
            readUntil(call);
        } catch (IOException | BrokenWireException broken) {
            end();
        } finally {
            synchronized (this) {
                reader = null;
            }
            nextReader();
        }
    }

    private void readUntil(Pending call) throws IOException {
        while (call == null ? isNeeded() : call.reply == null && !isOver()) {
            boolean last = exited; // before the look: what was sent until then is seen by it
            Frame frame = socket.poll(call != null && isAlone());
            if (frame != null) {
                take(frame);
            } else if (last || socket.ended()) {
                end();
            } else if (call != null && Thread.currentThread().isInterrupted()) {
                return;
            } else {
                socket.await(0);
            }
        }
    }

    private synchronized boolean isAlone() {
        return pending.size() == 1;
    }

    private void take(Frame frame) {
        switch (frame.type()) {
            case OUTCOME -> {
                Runnable abandoned;
                synchronized (this) {
                    Pending call = pending.remove(frame.number());
                    if (call == null) {
                        return;
                    }
                    call.reply = frame.payload();
                    LockSupport.unpark(call.sleeper);
                    abandoned = call.whenAbandoned;
                }
                if (abandoned != null) {
                    abandoned.run();
                }
            }
            case PROGRESS -> {
                Progress progress = Progress.read(frame.payload());
                Pending call;
                synchronized (this) {
                    call = pending.get(frame.number());
                }
                if (call != null) {
                    call.context.progress(progress.progress(), progress.total(), progress.message());
                }
            }
            case LOG -> WorkerLog.tell(LogLine.read(frame.payload()));
            default -> throw new BrokenWireException("a frame of type " + frame.type() + " from a worker");
        }
    }

    /** Has somebody read who waits; where there are only calls that nobody waits for, a thread of ours does. */
    private synchronized void nextReader() {
        if (reader != null || over) {
            return;
        }
        boolean abandoned = false;
        for (Pending call : pending.values()) {
            if (call.sleeper != null) {
                LockSupport.unpark(call.sleeper);
                return;
            }
            abandoned |= call.whenAbandoned != null;
        }
        if (abandoned && !kept) {
            kept = true;
            Thread thread = new Thread(this::keep, "isonomy-worker-left");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void keep() {
        synchronized (this) {
            kept = false;
            if (reader != null || over) {
                return; // who reads now calls for us again where it is needed
            }
            reader = Thread.currentThread();
        }
        read(null);
    }

    private synchronized boolean isNeeded() {
        return !over && pending.values().stream().anyMatch(call -> call.whenAbandoned != null);
    }

    // The end -------------------------------------------------------------------------------------

    /** Says that the process is gone: what it sent before is still read, and then the connection has ended. */
    void exited() {
        exited = true;
        socket.wakeUp();
        synchronized (this) {
            if (reader != null || over) {
                return; // the reader sees it
            }
            reader = Thread.currentThread();
        }
        read(new Pending(null));
    }

    /** Ends the connection: whoever waits is told, and the worker ends too (W1.3). */
    void end() {
        List<Thread> sleepers = new ArrayList<>();
        Runnable told;
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            told = whenOver;
            for (Pending call : pending.values()) {
                sleepers.add(call.sleeper);
            }
            pending.clear();
        }
        sleepers.forEach(LockSupport::unpark);
        socket.close();
        told.run();
    }
}
