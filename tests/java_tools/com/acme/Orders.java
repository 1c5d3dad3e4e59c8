// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.contract.Cause;
import dev.isonomy.contract.ErrorKind;
import dev.isonomy.contract.Language;
import dev.isonomy.contract.ToolError;
import dev.isonomy.contract.ToolFailed;
import dev.isonomy.contract.ToolFailure;
import dev.isonomy.runtime.ToolExecutor;
import dev.isonomy.tools.BoundTool;
import dev.isonomy.tools.Tool;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Tools that call a tool of their own, one whose failures come from Python. */
public final class Orders {

    private static final ToolExecutor INNER =
            ToolExecutor.of(BoundTool.named("find").body((arguments, context) -> new ToolFailure(ToolError.builder(
                            ErrorKind.EXCEPTION, "'" + arguments.get("sku") + "'")
                    .type("KeyError")
                    .language(Language.PYTHON)
                    .causes(List.of(new Cause("OSError", "disk", Language.PYTHON)))
                    .trace("Traceback (most recent call last):\n  File \"shop.py\", line 3, in find\nKeyError: '"
                            + arguments.get("sku") + "'\n")
                    .build())));

    private Orders() {}

    private static Object found(String sku) throws InterruptedException {
        return INNER.call("find", Map.of("sku", sku)).unwrap();
    }

    @Tool
    public static Object order(String sku) throws InterruptedException {
        try {
            return found(sku);
        } catch (ToolFailed failed) {
            throw new IllegalStateException("no order of " + sku, failed);
        }
    }

    @Tool
    public static CompletableFuture<Object> orderLater(String sku) {
        return INNER.callAsync("find", Map.of("sku", sku)).thenApply(response -> {
            try {
                return response.unwrap();
            } catch (ToolFailed failed) {
                throw new IllegalStateException("no order of " + sku, failed);
            }
        });
    }

    @Tool
    public static Object handOn(String sku) throws InterruptedException {
        return found(sku);
    }
}
