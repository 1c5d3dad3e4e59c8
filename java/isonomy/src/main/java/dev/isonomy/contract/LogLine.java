// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a worker's tool logged (W4.6 of spec/wire.md).
 *
 * @param level {@code debug}, {@code info}, {@code warning} or {@code error}
 * @param logger the name of the logger
 * @param message what it said
 * @param dropped how many earlier lines were not sent
 */
public record LogLine(String level, String logger, String message, long dropped) {

    /** The frame of this line, which belongs to a call or, with 0, to none. */
    public Frame frame(long call) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("level", level);
        fields.put("logger", logger);
        fields.put("message", message);
        if (dropped > 0) {
            fields.put("dropped", dropped);
        }
        return new Frame(FrameType.LOG, call, Portable.encode(fields));
    }

    /** Reads a line; a {@link BrokenWireException} for what is none (W2.6). */
    public static LogLine read(byte[] payload) {
        Map<String, Object> told = Handshake.fields(payload, "log");
        return new LogLine(
                Handshake.text(told, "level"),
                Handshake.text(told, "logger"),
                Handshake.text(told, "message"),
                told.get("dropped") instanceof Long dropped ? dropped : 0);
    }
}
