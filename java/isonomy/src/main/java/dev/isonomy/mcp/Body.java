// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.mcp;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;

/** Takes the whole of a body of at most so many bytes; of a longer one, nothing (clause 14.14). */
final class Body implements BodySubscriber<Void> {

    private final int cap;
    private final Consumer<byte[]> into;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private Flow.Subscription subscription;

    /** @param into is given the body, or null where it is too long; not where it is cut off */
    Body(int cap, Consumer<byte[]> into) {
        this.cap = cap;
        this.into = into;
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
            if (part.remaining() > cap - kept.size()) {
                subscription.cancel();
                end(null);
                return;
            }
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            kept.writeBytes(bytes);
        }
    }

    @Override
    public void onError(Throwable broken) {
        over.completeExceptionally(broken);
    }

    @Override
    public void onComplete() {
        if (!over.isDone()) {
            end(kept.toByteArray());
        }
    }

    private void end(byte[] body) {
        into.accept(body);
        over.complete(null);
    }
}
