// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import dev.isonomy.contract.Effect;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Settled;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** One session with a server by streamable HTTP (clauses 14.11 to 14.14). Threads are those of the client. */
final class HttpConnection extends Connection {

    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration NOTICE = Duration.ofSeconds(5);
    /** Between two attempts to hear what the server says by itself. */
    private static final Executor AFTER_A_PAUSE = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

    private static final String SESSION = "Mcp-Session-Id";
    private static final int OK = 200;
    private static final int NO_SUCCESS = 300;
    private static final int GONE = 404;
    /** What a server says that says nothing by itself. */
    private static final Set<Integer> WITHOUT = Set.of(GONE, 405);

    private final URI url;
    private final Map<String, String> headers;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private final Map<Pending, CompletableFuture<?>> exchanges = new ConcurrentHashMap<>();
    private volatile CompletableFuture<?> listening;
    private volatile String session;
    private volatile String revision;

    HttpConnection(String name, URI url, Map<String, String> headers, int cap, ServerLog log, Runnable changed) {
        super(name, cap, log, changed);
        this.url = url;
        this.headers = headers;
    }

    // Sending -------------------------------------------------------------------------------------

    @Override
    void send(Pending pending, byte[] message) {
        String before = session;
        CompletableFuture<HttpResponse<Void>> exchange =
                client.sendAsync(post(message).build(), head -> answered(head, pending, before));
        exchanges.put(pending, exchange);
        exchange.whenComplete((response, broken) -> {
            exchanges.remove(pending);
            if (broken != null) {
                pending.end(failed(broken));
            }
            pending.end(new Ended.Lost(broke())); // where nothing that came was the reply
        });
    }

    /** What becomes of a request, by the head of the answer. */
    private HttpResponse.BodySubscriber<Void> answered(ResponseInfo head, Pending pending, String before) {
        if (head.statusCode() < OK || head.statusCode() >= NO_SUCCESS) {
            return new Body(cap, body -> refused(head.statusCode(), body, pending, before));
        }
        head.headers().firstValue(SESSION).ifPresent(told -> session = told);
        if (isStream(head)) {
            return new EventStream(new Events(cap, this), pending::hasEnded);
        }
        return new Body(cap, body -> {
            if (body == null) {
                pending.end(tooLarge());
            } else if (!Messages.text(body).isBlank()) {
                message(body);
                pending.end(new Ended.Replied(Map.of())); // where it was none
            }
        });
    }

    private void refused(int status, byte[] body, Pending pending, String before) {
        if (status == GONE && before != null) {
            pending.end(new Ended.SessionOver());
            return;
        }
        Map<String, Object> message = body == null ? null : Messages.read(body);
        if (message != null && message.get("error") instanceof Map && message.containsKey("jsonrpc")) {
            pending.end(new Ended.Replied(message));
        } else {
            pending.end(new Ended.Lost(Replies.settled(
                    ErrorKind.CONNECTION_LOST,
                    "the MCP server " + name + " answered with status " + status,
                    Effect.POSSIBLE,
                    Map.of("status", (long) status))));
        }
    }

    private Ended failed(Throwable broken) {
        Throwable cause = broken instanceof CompletionException && broken.getCause() != null ? broken.getCause() : broken;
        boolean notSent = cause instanceof ConnectException
                || cause instanceof HttpConnectTimeoutException
                || cause instanceof UnresolvedAddressException;
        return notSent ? new Ended.NotSent(reason(cause)) : new Ended.Lost(broke());
    }

    private static String reason(Throwable cause) {
        String said = cause.getMessage();
        return said == null || said.isBlank() ? cause.getClass().getSimpleName() : said;
    }

    @Override
    void tell(byte[] message) {
        if (!isOver()) {
            client.sendAsync(post(message).timeout(NOTICE).build(), BodyHandlers.discarding());
        }
    }

    @Override
    void giveUp(Pending pending) {
        CompletableFuture<?> exchange = exchanges.get(pending);
        if (exchange != null) {
            exchange.cancel(true);
        }
        super.giveUp(pending);
    }

    private HttpRequest.Builder post(byte[] message) {
        return request().header("Content-Type", "application/json").POST(BodyPublishers.ofByteArray(message));
    }

    private HttpRequest.Builder request() {
        HttpRequest.Builder request = HttpRequest.newBuilder(url);
        headers.forEach(request::setHeader);
        request.setHeader("Accept", "application/json, text/event-stream");
        String told = session;
        if (told != null) {
            request.setHeader(SESSION, told);
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
        try {
            client.send(post(message).timeout(limit).build(), BodyHandlers.discarding());
        } catch (IOException broken) {
            // the next request tells
        }
        listen();
    }

    private void listen() {
        if (isOver()) {
            return;
        }
        CompletableFuture<HttpResponse<Void>> stream = client.sendAsync(
                request().GET().build(),
                head -> head.statusCode() == OK && isStream(head)
                        ? new EventStream(new Events(cap, this), this::isOver)
                        : new Body(0, body -> {}));
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

    private Settled broke() {
        return Replies.settled(
                ErrorKind.CONNECTION_LOST,
                "the connection to the MCP server " + name + " broke",
                Effect.POSSIBLE,
                null);
    }

    // The end -------------------------------------------------------------------------------------

    /** Ends the session, of whose end the server is told. */
    @Override
    public void close() {
        if (!end(this::broke)) {
            return;
        }
        exchanges.values().forEach(exchange -> exchange.cancel(true));
        if (listening != null) {
            listening.cancel(true);
        }
        if (session != null) {
            client.sendAsync(request().timeout(NOTICE).DELETE().build(), BodyHandlers.discarding())
                    .exceptionally(broken -> null)
                    .orTimeout(NOTICE.toMillis(), TimeUnit.MILLISECONDS)
                    .exceptionally(late -> null)
                    .join();
        }
    }
}
