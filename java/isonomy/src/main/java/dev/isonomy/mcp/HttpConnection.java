// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/** One session with a server by streamable HTTP (clauses 14.11 to 14.14). Threads are those of the client. */
final class HttpConnection extends Connection {

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration NOTICE = Duration.ofSeconds(5);
    /** Between two attempts to hear what the server says by itself. */
    private static final Executor AFTER_A_PAUSE = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    private static final String SESSION = "Mcp-Session-Id";
    /** What a header can hold; a session of another name cannot be named. */
    private static final Pattern VISIBLE = Pattern.compile("[ -~]+");
    /** Messages that nobody waits for which may be on their way; a server that asks for more gets no answers. */
    private static final int MOST_TOLD = 100;
    private static final int OK = 200;
    private static final int NO_SUCCESS = 300;
    private static final int BAD = 400;
    private static final int GONE = 404;
    private static final int FAULT = 500;
    /** What a server says that says nothing by itself. */
    private static final Set<Integer> WITHOUT = Set.of(GONE, 405);

    private final URI url;
    private final Map<String, String> headers;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private final HttpEnds ends;
    private final Map<Pending, CompletableFuture<?>> exchanges = new ConcurrentHashMap<>();
    private final AtomicInteger told = new AtomicInteger();
    private volatile CompletableFuture<?> listening;
    private volatile String session;
    private volatile String revision;
    private volatile boolean spent;
    /** Whether the server has ever said that it tells of changes. */
    private volatile boolean hasSubscribed;

    HttpConnection(String name, URI url, Map<String, String> headers, int cap, ServerLog log, Runnable changed) {
        super(name, cap, log, changed);
        this.url = url;
        this.headers = headers;
        this.ends = new HttpEnds(name);
    }

    // Sending -------------------------------------------------------------------------------------

    @Override
    void send(Pending pending, byte[] message) {
        String before = session;
        HttpRequest.Builder request = post(message);
        if (isStateless()) {
            Stateless.headers(pending.request).forEach(request::setHeader);
        }
        CompletableFuture<HttpResponse<Void>> exchange =
                client.sendAsync(request.build(), head -> answered(head, pending, before));
        exchanges.put(pending, exchange);
        exchange.whenComplete((response, broken) -> {
            exchanges.remove(pending);
            if (broken != null) {
                pending.end(ends.broken(broken));
            }
            pending.end(new Ended.Lost(ends.broke())); // where nothing that came was the reply
            if (pending == subscription()) {
                subscribeAgain();
            }
        });
    }

    /** What becomes of a request, by the head of the answer. */
    private HttpResponse.BodySubscriber<Void> answered(ResponseInfo head, Pending pending, String before) {
        if (head.statusCode() < OK || head.statusCode() >= NO_SUCCESS) {
            return new Incoming(new Body(cap, body -> refused(head.statusCode(), body, pending, before)));
        }
        if (!isStateless()) {
            head.headers().firstValue(SESSION).filter(VISIBLE.asMatchPredicate()).ifPresent(told -> session = told);
        }
        return new Incoming(isStream(head) ? events(new Own(pending), pending::hasEnded) : new Body(cap, body -> replied(body, pending)));
    }

    /** Takes events as they come, until there are enough. */
    private Incoming.Taker events(Received into, BooleanSupplier isEnough) {
        Events events = new Events(cap, into);
        return part -> {
            events.feed(part, part.length);
            return isEnough.getAsBoolean();
        };
    }

    /** The events that answer one request: what is too long there and says no id is its reply, and nobody else's. */
    private final class Own implements Received {

        private final Pending pending;

        Own(Pending pending) {
            this.pending = pending;
        }

        @Override
        public void message(byte[] data) {
            HttpConnection.this.message(data);
        }

        @Override
        public void passes(byte[] head) {
            tooLong(head, new byte[0]);
        }

        @Override
        public void tooLong(byte[] head, byte[] tail) {
            if (MessageId.of(head, tail) == null) {
                pending.end(tooLarge());
            } else {
                HttpConnection.this.tooLong(head, tail);
            }
        }
    }

    /** What an answer with a body that is no stream means; without a byte, nothing (clause 14.22). */
    private void replied(byte[] body, Pending pending) {
        if (body == null) {
            pending.end(tooLarge());
        } else if (body.length > 0) {
            Map<String, Object> message = Messages.read(body);
            if (message == null) {
                pending.end(new Ended.Lost(Replies.unreadable()));
            } else if (message.get("id") == null && !message.containsKey("method")) {
                pending.end(new Ended.Replied(message)); // there is no other request that it could answer
            } else {
                message(message, body);
            }
        }
    }

    private void refused(int status, byte[] body, Pending pending, String before) {
        if (status == GONE && before != null) {
            pending.end(new Ended.SessionOver());
            return;
        }
        if (status >= BAD && status < FAULT && before != null) {
            spent = true; // some say so that they do not know the session
        }
        pending.end(ends.status(status, body));
    }

    @Override
    void tell(byte[] message) {
        if (isOver() || isStateless()) {
            return;
        }
        if (told.incrementAndGet() > MOST_TOLD) {
            told.decrementAndGet();
        } else {
            sentInTime(post(message).build(), NOTICE).whenComplete((done, broken) -> told.decrementAndGet());
        }
    }

    /** Sends what has no reply, and drops it after that time. */
    private CompletableFuture<?> sentInTime(HttpRequest request, Duration time) {
        CompletableFuture<?> exchange = client.sendAsync(request, head -> Incoming.ignored());
        CompletableFuture.delayedExecutor(time.toMillis(), TimeUnit.MILLISECONDS).execute(() -> exchange.cancel(true));
        return exchange;
    }

    /** The end of its stream says it in the revision without sessions (clause 14.10). */
    @Override
    void giveUp(Pending pending) {
        CompletableFuture<?> exchange = exchanges.get(pending);
        if (exchange != null) {
            exchange.cancel(true);
        }
        if (!isStateless()) {
            super.giveUp(pending);
        }
    }

    private HttpRequest.Builder post(byte[] message) {
        return request().header("Content-Type", "application/json").POST(BodyPublishers.ofByteArray(message));
    }

    private HttpRequest.Builder request() {
        HttpRequest.Builder request = HttpRequest.newBuilder(url);
        headers.forEach(request::setHeader);
        request.setHeader("Accept", "application/json, text/event-stream");
        String known = session;
        if (known != null) {
            request.setHeader(SESSION, known);
        }
        if (revision != null) {
            request.setHeader("MCP-Protocol-Version", revision);
        }
        return request;
    }

    // What the server says by itself --------------------------------------------------------------

    @Override
    void begin(String agreed, Duration limit) throws InterruptedException {
        revision = agreed;
        byte[] message = Messages.notification("notifications/initialized", Map.of());
        CompletableFuture<?> exchange = client.sendAsync(post(message).build(), head -> Incoming.ignored());
        try {
            exchange.get(Math.min(limit.toNanos(), NOTICE.toNanos()), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException broken) {
            // the next request tells
        } finally {
            exchange.cancel(true);
        }
        listen();
    }

    @Override
    boolean isSpent() {
        return spent || super.isSpent();
    }

    @Override
    void beStateless(Map<String, Object> meta) {
        super.beStateless(meta);
        revision = Stateless.REVISION;
        session = null;
    }

    /** Where the server told what had changed, and stopped: what changed meanwhile is not known. */
    private void subscribeAgain() {
        Subscription ended = subscription();
        if (isOver() || !(ended.isTaken() || hasSubscribed) || ended.how() instanceof Ended.Replied) {
            return;
        }
        hasSubscribed = true;
        AFTER_A_PAUSE.execute(() -> {
            try {
                subscribe(Duration.ZERO);
                toolsMayHaveChanged();
            } catch (InterruptedException nobodyDoesThat) {
                // then nothing more is told
            }
        });
    }

    private void listen() {
        if (isOver()) {
            return;
        }
        CompletableFuture<HttpResponse<Void>> stream = client.sendAsync(
                request().GET().build(),
                head -> head.statusCode() == OK && isStream(head)
                        ? new Incoming(events(this, this::isOver))
                        : Incoming.ignored());
        listening = stream;
        stream.whenComplete((response, broken) -> {
            if (response == null || !WITHOUT.contains(response.statusCode())) {
                AFTER_A_PAUSE.execute(this::listen);
            }
        });
    }

    private static boolean isStream(ResponseInfo head) {
        return head.headers()
                .firstValue("Content-Type")
                .filter(type -> type.regionMatches(true, 0, "text/event-stream", 0, "text/event-stream".length()))
                .isPresent();
    }

    // The end -------------------------------------------------------------------------------------

    /** Ends the session, of whose end the server is told. */
    @Override
    public void close() {
        if (!end(ends::broke)) {
            return;
        }
        exchanges.values().forEach(exchange -> exchange.cancel(true));
        if (listening != null) {
            listening.cancel(true);
        }
        if (session != null) {
            sentInTime(request().DELETE().build(), NOTICE).exceptionally(broken -> null).join();
        }
    }
}
