// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;

/** Takes server-sent events as they come, until nobody wants more of them. */
final class EventStream implements BodySubscriber<Void> {

    private final Events events;
    private final BooleanSupplier isEnough;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private Flow.Subscription subscription;

    EventStream(Events events, BooleanSupplier isEnough) {
        this.events = events;
        this.isEnough = isEnough;
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
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            events.feed(bytes, bytes.length);
        }
        if (isEnough.getAsBoolean()) {
            subscription.cancel();
            over.complete(null);
        }
    }

    @Override
    public void onError(Throwable broken) {
        over.completeExceptionally(broken);
    }

    @Override
    public void onComplete() {
        over.complete(null);
    }
}
