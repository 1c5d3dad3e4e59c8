// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/** Hands on the body of an HTTP answer as it comes, until nobody wants more of it. */
final class Incoming implements BodySubscriber<Void> {

    /** Takes a body. */
    interface Taker {

        /** Takes the next bytes, which it may keep; whether that is enough. */
        boolean take(byte[] part);

        /** The body is whole; not called where it is cut off, nor after enough came. */
        default void whole() {
            // says nothing
        }
    }

    private static final int SHORT = 4_096;

    private final Taker taker;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private Flow.Subscription subscription;

    Incoming(Taker taker) {
        this.taker = taker;
    }

    /** For a body that says nothing; of a long one no more is read, though its connection is lost so. */
    static Incoming ignored() {
        return new Incoming(new Body(SHORT, body -> {}));
    }

    @Override
    public CompletionStage<Void> getBody() {
        return over;
    }

    @Override
    public void onSubscribe(Flow.Subscription opened) {
        subscription = opened;
        opened.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            if (over.isDone()) {
                return;
            }
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            if (taker.take(bytes)) {
                subscription.cancel();
                over.complete(null);
            }
        }
    }

    @Override
    public void onError(Throwable broken) {
        over.completeExceptionally(broken);
    }

    @Override
    public void onComplete() {
        if (!over.isDone()) {
            taker.whole();
            over.complete(null);
        }
    }
}
