// SPDX-License-Identifier: Apache-2.0
package com.acme;

import dev.isonomy.tools.Tool;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Tools of an instance, which is made for them and closed at the end. */
public class Stock implements AutoCloseable {
    private static int made;

    private final ConcurrentMap<String, Integer> left = new ConcurrentHashMap<>();

    public Stock() {
        made++;
    }

    @Tool
    public int add(String sku, int count) {
        return left.merge(sku, count, Integer::sum);
    }

    @Tool
    public Integer left(String sku) {
        return left.get(sku);
    }

    @Tool
    public static int instances() {
        return made;
    }

    @Override
    public void close() {
        if (System.getenv("TELL_CLOSE") != null) {
            System.out.println("stock closed");
            System.out.flush();
        }
    }
}
