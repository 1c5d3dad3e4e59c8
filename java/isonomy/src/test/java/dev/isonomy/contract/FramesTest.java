// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.isonomy.contract.Handshake.Answer;
import dev.isonomy.contract.Handshake.Failed;
import dev.isonomy.contract.Handshake.Hello;
import dev.isonomy.contract.Handshake.Refused;
import dev.isonomy.contract.Handshake.Welcome;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.Vectors;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Frames and handshakes: the vectors, and what garbage can do to a reader. */
@ReadsVectors("wire")
final class FramesTest {

    private static final String CLEAN = "clean";
    private static final String BROKEN = "broken";

    private record Read(List<String> frames, String ends) {}

    @TestFactory
    Stream<DynamicTest> vectors() {
        return Vectors.tests("wire", vector -> {
            if (vector.has("stream")) {
                stream(vector);
            } else {
                hello(vector);
            }
        });
    }

    private static void stream(Fields vector) {
        byte[] stream = HexFormat.of().parseHex(vector.text("stream").replace(" ", ""));
        int limit = ((Number) vector.json("limit", Frame.LEAST_LIMIT)).intValue();
        List<String> expected = new ArrayList<>();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (Fields told : vector.objects("frames")) {
            FrameType type = FrameType.of(told.integer("type"));
            long number = ((Number) told.json("number")).longValue();
            Frame frame = new Frame(type, number, told.text("payload").getBytes(UTF_8));
            assertTrue(frame.fits(limit));
            expected.add(text(frame));
            written.writeBytes(frame.toBytes());
        }
        String ends = vector.text("ends");
        for (int step : new int[] {1, 3, Math.max(1, stream.length)}) {
            assertEquals(new Read(expected, ends), read(stream, limit, step));
        }
        if (ends.equals(CLEAN) && !hasNotice(stream)) {
            assertArrayEquals(stream, written.toByteArray());
        }
    }

    private static boolean hasNotice(byte[] stream) {
        for (int at = 0; at < stream.length; at += 4 + ByteBuffer.wrap(stream).getInt(at)) {
            if (stream[at + 4] < 0) {
                return true;
            }
        }
        return false;
    }

    private static void hello(Fields vector) {
        byte[] payload = vector.text("hello").getBytes(UTF_8);
        if (vector.text("answer").equals(BROKEN)) {
            assertThrows(BrokenWireException.class, () -> Handshake.readHello(payload));
            return;
        }
        Answer answer = Handshake.answer(Handshake.readHello(payload), 65_536, List.of("shop"), List.of("/srv"));
        Answer expected = vector.text("answer").equals("welcome")
                ? new Welcome(vector.integer("wire"), 65_536, List.of("shop"), List.of("/srv"))
                : new Refused(vector.text("message"));
        assertEquals(expected, answer);
        assertEquals(expected, Handshake.readAnswer(Handshake.frame(answer)));
    }

    private static Read read(byte[] stream, int limit, int step) {
        FrameBuffer buffer = new FrameBuffer(limit);
        List<String> frames = new ArrayList<>();
        try {
            int at = 0;
            while (at < stream.length) {
                ByteBuffer room = buffer.writable();
                assertTrue(room.hasRemaining(), "there is always room");
                int some = Math.min(Math.min(step, room.remaining()), stream.length - at);
                room.put(stream, at, some);
                at += some;
                for (Frame frame = buffer.next(); frame != null; frame = buffer.next()) {
                    frames.add(text(frame));
                }
            }
            buffer.ended();
            return new Read(frames, CLEAN);
        } catch (BrokenWireException broken) {
            return new Read(frames, BROKEN);
        }
    }

    private static String text(Frame frame) {
        return HexFormat.of().formatHex(frame.toBytes());
    }

    /** W2.2, W2.5: garbage is frames or a broken wire, in whatever pieces it comes. */
    @Property(tries = 2_000)
    void garbageNeverCrashes(@ForAll("garbage") byte[] stream, @ForAll @IntRange(min = 1, max = 40) int step) {
        assertEquals(read(stream, Frame.LEAST_LIMIT, stream.length + 1), read(stream, Frame.LEAST_LIMIT, step));
    }

    @Provide
    Arbitrary<byte[]> garbage() {
        Arbitrary<byte[]> noise = Arbitraries.bytes().array(byte[].class).ofMaxSize(60);
        Arbitrary<byte[]> frame = frames().map(Frame::toBytes);
        Arbitrary<byte[]> spoilt = Combinators.combine(frame, Arbitraries.integers().between(0, 12), Arbitraries.bytes())
                .as((bytes, at, with) -> {
                    bytes[at] = with;
                    return bytes;
                });
        return Arbitraries.oneOf(noise, frame, spoilt).list().ofMaxSize(5).map(parts -> {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            parts.forEach(all::writeBytes);
            return all.toByteArray();
        });
    }

    @Provide
    Arbitrary<Frame> frames() {
        return Combinators.combine(
                        Arbitraries.of(FrameType.class),
                        Arbitraries.longs().greaterOrEqual(0),
                        Arbitraries.bytes().array(byte[].class).ofMaxSize(300))
                .as(Frame::new);
    }

    /** Whatever was sent comes, long frames between short ones. */
    @Property(tries = 50)
    void framesComeAsTheyWereSent(
            @ForAll @IntRange(max = 400_000) int size, @ForAll @IntRange(min = 1, max = 200_000) int step) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        List<String> sent = new ArrayList<>();
        for (int length : new int[] {3, size, 0, size / 2, 70_000}) {
            byte[] payload = new byte[length];
            java.util.Arrays.fill(payload, (byte) length);
            Frame frame = new Frame(FrameType.CALL, length, payload);
            sent.add(text(frame));
            stream.writeBytes(frame.toBytes());
        }
        int pieces = Math.max(step, stream.size() / 500 + 1);
        assertEquals(new Read(sent, CLEAN), read(stream.toByteArray(), 1 << 20, pieces));
    }

    @Test
    void aLongFrameThatIsToBeIgnoredIs() {
        byte[] notice = new Frame(FrameType.LOG, 1, new byte[300_000]).toBytes();
        notice[4] = (byte) 200;
        byte[] stream = java.util.Arrays.copyOf(notice, notice.length + 13);
        System.arraycopy(new Frame(FrameType.CANCEL, 5).toBytes(), 0, stream, notice.length, 13);
        assertEquals(
                new Read(List.of(text(new Frame(FrameType.CANCEL, 5))), CLEAN), read(stream, 1 << 20, 50_000));
    }

    @Test
    void aFrameFitsUpToTheLimit() {
        assertTrue(new Frame(FrameType.CALL, 1, new byte[7]).fits(16));
        assertFalse(new Frame(FrameType.CALL, 1, new byte[8]).fits(16));
    }

    @Test
    void whatIsSaidBeforeTheFirstCallIsReadAgain() {
        Hello hello = new Hello(List.of(1L), "java", "0.1.0", 7);
        assertEquals(hello, Handshake.readHello(Handshake.frame(hello).payload()));
        Failed failed = new Failed("no module named shop", "Traceback");
        assertEquals(failed, Handshake.readFailed(Handshake.frame(failed).payload()));
        Failed bare = new Failed("no module named shop", null);
        assertEquals(bare, Handshake.readFailed(Handshake.frame(bare).payload()));
        assertEquals(
                List.of(Map.of("name", "a")), Handshake.readReady(Handshake.ready("[{\"name\":\"a\"}]".getBytes(UTF_8)).payload()));
        LogLine line = new LogLine("warning", "acme", "low", 3);
        assertEquals(line, LogLine.read(line.frame(4).payload()));
        Progress progress = new Progress(1, 2.0, "half");
        assertEquals(progress, Progress.read(progress.frame(4).payload()));
    }

    @Test
    void answersThatAreNone() {
        for (String payload : List.of("{}", "[]", "{\"wire\":2,\"max_frame\":65536}", "{\"wire\":1,\"max_frame\":10}",
                "{\"wire\":1,\"max_frame\":65536,\"tools\":[1]}", "{\"wire\":1,\"max_frame\":65536,\"tools\":\"shop\"}")) {
            Frame frame = new Frame(FrameType.WELCOME, payload.getBytes(UTF_8));
            assertThrows(BrokenWireException.class, () -> Handshake.readAnswer(frame), payload);
        }
        assertThrows(BrokenWireException.class, () -> Handshake.readAnswer(new Frame(FrameType.CLOSE, 0)));
        assertThrows(BrokenWireException.class, () -> Handshake.readReady("{\"tools\":[1]}".getBytes(UTF_8)));
        assertThrows(BrokenWireException.class, () -> Handshake.readReady("{}".getBytes(UTF_8)));
        assertThrows(BrokenWireException.class, () -> Progress.read("{}".getBytes(UTF_8)));
    }
}
