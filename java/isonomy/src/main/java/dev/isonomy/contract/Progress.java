// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

/**
 * How far a call has come, as the tool tells it.
 *
 * @param progress how much is done, in the tool's own unit
 * @param total how much there is to do, or null where the tool does not know
 * @param message a sentence for people, or null
 */
public record Progress(double progress, Double total, String message) {
    /** Refuses numbers that no progress has. */
    public Progress {
        if (!Double.isFinite(progress) || (total != null && !Double.isFinite(total))) {
            throw new Misuse("progress and total are finite numbers");
        }
    }

    /** The frame of this progress of a call (W4.5 of spec/wire.md). */
    public Frame frame(long call) {
        JsonForm out = new JsonForm();
        Wire.write(out, this);
        return new Frame(FrameType.PROGRESS, call, out.toBytes());
    }

    /** Reads a progress; a {@link BrokenWireException} for what is none (W2.6). */
    public static Progress read(byte[] payload) {
        try {
            return Wire.readProgress(JsonReader.plain(payload));
        } catch (PortableException malformed) {
            throw new BrokenWireException("a progress that cannot be read: " + malformed.getMessage());
        }
    }
}
