// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Responses in the form of clause 2. */
final class ResponseWire {
    private static final String STATUS = "status";
    private static final String SUCCESS = "success";
    private static final String FAILURE = "failure";
    private static final String RESULT = "result";
    private static final String ERROR = "error";
    private static final String CONTENT = "content";
    private static final String META = "meta";
    private static final String TYPE = "type";

    private ResponseWire() {}

    /** The response as a map, for one that stands inside a value; its values stay as they are. */
    static Map<String, Object> fields(ToolResponse response) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put(STATUS, response.isSuccess() ? SUCCESS : FAILURE);
        if (response instanceof ToolSuccess success) {
            fields.put(RESULT, success.result());
        } else {
            fields.put(ERROR, ErrorWire.fields(response.error()));
        }
        if (!response.content().isEmpty()) {
            List<Object> content = new ArrayList<>();
            for (Block block : response.content()) {
                Map<String, Object> members = new LinkedHashMap<>();
                members.put(TYPE, block.type());
                members.putAll(block.fields());
                content.add(members);
            }
            fields.put(CONTENT, content);
        }
        if (!response.meta().isEmpty()) {
            fields.put(META, response.meta());
        }
        return fields;
    }

    /**
     * Writes a response. The result of a success, its content and its meta keep to the limit of size together (clause
     * 5.29). A failure is never refused (clause 4.15): what cannot be written of it is opaque, and where it is too
     * large its details, content and meta are left out.
     */
    static void write(JsonForm out, ToolResponse response, Limits limits) {
        if (response instanceof ToolSuccess success) {
            writeSuccess(out, success, limits);
        } else {
            writeFailure(out, (ToolFailure) response, limits);
        }
    }

    private static void writeSuccess(JsonForm out, ToolSuccess success, Limits limits) {
        begin(out, SUCCESS);
        out.key(RESULT);
        out.beginBound(limits.maxResultBytes());
        new Encoder(out, limits.strictValues()).value(success.result());
        writeRest(out, success, new Encoder(out, false));
        out.endBound();
        out.endObject();
    }

    private static void writeFailure(JsonForm out, ToolFailure failure, Limits limits) {
        Form.Mark start = out.mark();
        if (!fits(out, failure, limits)) {
            out.reset(start);
            writeFailure(out, withoutBulk(failure));
        }
    }

    /** Writes a failure as far as the limit of size allows; whether all of it is written. */
    static boolean fits(JsonForm out, ToolFailure failure, Limits limits) {
        try {
            out.beginBound(limits.maxResultBytes());
            writeFailure(out, failure);
            out.endBound();
            return true;
        } catch (PortableException tooLarge) {
            out.endBoundUnchecked();
            return false;
        }
    }

    private static void writeFailure(JsonForm out, ToolFailure failure) {
        begin(out, FAILURE);
        out.key(ERROR);
        writeFields(out, failure);
        out.endObject();
    }

    /** Writes the error of a failure as a value, and content and meta as members behind it. */
    static void writeFields(JsonForm out, ToolFailure failure) {
        Encoder encoder = new Encoder(out, false, true);
        ErrorWire.write(encoder, failure.error());
        writeRest(out, failure, encoder);
    }

    /** Whether there is anything of a failure that can be left out. */
    static boolean hasBulk(ToolFailure failure) {
        return failure.error().details() != null || !failure.content().isEmpty() || !failure.meta().isEmpty();
    }

    /** The failure as it is where it exceeds the limit of size. */
    static ToolFailure withoutBulk(ToolFailure failure) {
        if (!hasBulk(failure)) {
            return failure;
        }
        return new ToolFailure(failure.error().toBuilder()
                .details(Map.of("omitted", ErrorKind.TOO_LARGE.wire()))
                .build());
    }

    private static void begin(JsonForm out, String status) {
        out.beginObject();
        out.key(STATUS);
        out.text(status);
    }

    /** Writes content and meta, whose paths begin at the response. */
    private static void writeRest(JsonForm out, ToolResponse response, Encoder encoder) {
        encoder.place().enter(response);
        if (!response.content().isEmpty()) {
            out.uncounted(() -> out.key(CONTENT));
            encoder.place().key(CONTENT);
            writeContent(out, response.content(), encoder);
        }
        if (!response.meta().isEmpty()) {
            out.uncounted(() -> out.key(META));
            encoder.place().key(META);
            encoder.members(response.meta());
        }
        encoder.place().leave();
    }

    private static void writeContent(JsonForm out, List<Block> content, Encoder encoder) {
        encoder.place().enter(content);
        out.beginList();
        for (int i = 0; i < content.size(); i++) {
            encoder.place().index(i);
            writeBlock(out, content.get(i), encoder);
        }
        out.endList();
        encoder.place().leave();
    }

    private static void writeBlock(JsonForm out, Block block, Encoder encoder) {
        encoder.place().enter(block);
        out.beginObject();
        out.key(TYPE);
        out.plainText(block.type());
        for (Map.Entry<String, Object> field : block.fields().entrySet()) {
            encoder.place().key(field.getKey());
            out.key(field.getKey());
            encoder.plain(field.getValue());
        }
        out.endObject();
        encoder.place().leave();
    }

    /**
     * Reads a response; nothing is repaired (clause 2.4).
     *
     * @param plain plain JSON in which tags are maps
     */
    static ToolResponse read(Object plain) {
        WireObject object = WireObject.of(plain, "a response");
        String status = object.text(STATUS);
        List<Block> content = readContent(object);
        Map<String, Object> meta = readMeta(object);
        ToolResponse response;
        if (status.equals(SUCCESS)) {
            response = new ToolSuccess(object.portable(RESULT), content, meta);
        } else if (status.equals(FAILURE)) {
            response = new ToolFailure(ErrorWire.read(object.value(ERROR)), content, meta);
        } else {
            throw PortableException.malformed("the status of a response is neither success nor failure");
        }
        object.refuseOthers();
        return response;
    }

    /** The meta of a response or of a settled outcome. */
    static Map<String, Object> readMeta(WireObject object) {
        return object.has(META) ? object.object(META).portableMembers() : Map.of();
    }

    /** The content of a response or of a settled outcome. */
    static List<Block> readContent(WireObject object) {
        if (!object.has(CONTENT)) {
            return List.of();
        }
        List<Block> content = new ArrayList<>();
        for (Object item : object.list(CONTENT)) {
            WireObject block = WireObject.of(item, "a block");
            content.add(new Block(block.text(TYPE), block.others()));
        }
        return content;
    }
}
