// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.isonomy.vectors.Behaviours;
import dev.isonomy.vectors.ExpectedResponse;
import dev.isonomy.vectors.Fields;
import dev.isonomy.vectors.ReadsVectors;
import dev.isonomy.vectors.SameJson;
import dev.isonomy.vectors.Throwing;
import dev.isonomy.vectors.Vectors;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestFactory;

/** Responses, errors and envelopes against the vectors. */
final class ResponseVectorsTest {

    @Nested
    @ReadsVectors("response")
    final class Responses {
        @TestFactory
        Stream<DynamicTest> response() {
            return Vectors.tests("response", Responses::check);
        }

        private static void check(Fields vector) {
            String text = vector.text("text");
            if (vector.has("refused")) {
                assertEquals(true, vector.bool("refused"));
                PortableException refused =
                        assertThrows(PortableException.class, () -> Wire.decodeResponse(utf8(text)));
                assertEquals(PortableException.Reason.MALFORMED, refused.reason());
                return;
            }
            ToolResponse response = Wire.decodeResponse(utf8(text));
            assertEquals(vector.text("status").equals("success"), response.isSuccess());
            String encodes = vector.has("encodes") ? vector.text("encodes") : text;
            SameJson.check(encodes, Wire.encode(response), "the response written again");
            if (vector.has("kind")) {
                assertEquals(vector.text("kind"), response.error().kind().wire());
            }
            if (vector.has("message")) {
                assertEquals(vector.text("message"), response.error().message());
            }
            if (vector.has("effect")) {
                assertEquals(vector.text("effect"), response.error().effect().wire());
            }
        }
    }

    @Nested
    @ReadsVectors("envelope")
    final class Envelopes {
        @TestFactory
        Stream<DynamicTest> envelope() {
            return Vectors.tests("envelope", vector -> {
                BridgeReply reply = Envelope.decodeReply(utf8(vector.text("text")));
                ToolResponse response = Mapping.toResponse(reply.outcome());
                ExpectedResponse.check(vector.object("response"), response);
                BridgeReply again = Envelope.decodeReply(Envelope.encodeReply(reply, Limits.NONE));
                assertArrayEquals(Wire.encode(response), Wire.encode(Mapping.toResponse(again.outcome())));
                assertEquals(reply.decoded(), again.decoded());
                assertEquals(reply.progress(), again.progress());
            });
        }
    }

    @Nested
    @ReadsVectors("error")
    final class Errors {
        @TestFactory
        Stream<DynamicTest> error() {
            return Vectors.tests("error", Errors::check);
        }

        private static void check(Fields vector) {
            if (vector.has("refused")) {
                assertEquals(true, vector.bool("refused"));
                assertThrows(Misuse.class, () -> Behaviours.failure(vector.object("make")).build());
            } else if (vector.has("make")) {
                ToolFailure failure = Behaviours.failure(vector.object("make")).build();
                ToolFailure kept = Redactor.DEFAULT.failure(failure, SecretValues.NONE);
                ExpectedResponse.checkError(vector.object("error"), error(Wire.encode(kept)));
            } else {
                ErrorInfo info = Capture.errorInfo(Throwing.exception(vector.object("raises")));
                byte[] envelope = Envelope.encodeReply(new BridgeReply(new Raised(info)), Limits.NONE);
                ExpectedResponse.checkError(vector.object("info"), error(envelope));
            }
        }

        private static Map<?, ?> error(byte[] json) {
            return (Map<?, ?>) ((Map<?, ?>) Vectors.json(json)).get("error");
        }
    }

    /** The mapping alone, in process and through an envelope; the executor's tests run these vectors as tools. */
    @Nested
    @ReadsVectors("mapping")
    final class Mappings {
        @TestFactory
        Stream<DynamicTest> mapping() {
            return Vectors.tests("mapping", Mappings::check);
        }

        private static void check(Fields vector) {
            Fields options = vector.has("options") ? vector.object("options") : Fields.of("no options", Map.of());
            Limits limits = new Limits(
                    options.has("max_result_bytes") ? options.integer("max_result_bytes") : Long.MAX_VALUE,
                    options.has("strict_values") && options.bool("strict_values"));
            Outcome outcome = outcome(vector.object("tool"));
            Fields expected = vector.object("response");
            ExpectedResponse.check(expected, atHost(limits.applied(outcome)));
            byte[] envelope = Envelope.encodeReply(new BridgeReply(outcome), limits);
            ExpectedResponse.check(expected, atHost(Envelope.decodeReply(envelope).outcome()));
        }

        private static Outcome outcome(Fields tool) {
            try {
                Object returned = Behaviours.run(tool);
                return Mapping.returned(returned instanceof CompletionStage<?> stage && tool.text("do").equals("async")
                        ? stage.toCompletableFuture().join()
                        : returned);
            } catch (CompletionException thrown) {
                return Mapping.thrown(thrown);
            } catch (Throwable thrown) {
                return Mapping.thrown(thrown);
            }
        }

        private static ToolResponse atHost(Outcome outcome) {
            ToolResponse response = Mapping.toResponse(outcome);
            return response instanceof ToolFailure failure ? Redactor.DEFAULT.failure(failure, SecretValues.NONE) : response;
        }
    }

    @Nested
    @ReadsVectors("view")
    final class Views {
        @TestFactory
        Stream<DynamicTest> view() {
            return Vectors.tests("view", vector -> {
                ToolResponse response = Wire.decodeResponse(utf8(vector.text("response")));
                Fields options = vector.object("options");
                Unexpected unexpected = options.has("unexpected")
                        ? Unexpected.valueOf(options.text("unexpected").toUpperCase(java.util.Locale.ROOT))
                        : Unexpected.MESSAGE;
                int maxChars = options.has("max_chars") ? options.integer("max_chars") : ModelView.DEFAULT_MAX_CHARS;
                ModelView view = ModelView.of(response, unexpected, maxChars);
                Fields expected = vector.object("view");
                assertEquals(expected.bool("is_error"), view.isError());
                ToolResponse shown = ToolResponse.success(null, view.content(), Map.of());
                Object content = ((Map<?, ?>) Vectors.json(Wire.encode(shown))).get("content");
                assertEquals(Vectors.text(expected.json("content")), Vectors.text(content));
            });
        }
    }

    @Nested
    @ReadsVectors("redaction")
    final class Redactions {
        @TestFactory
        Stream<DynamicTest> redaction() {
            return Vectors.tests("redaction", Redactions::check);
        }

        private static void check(Fields vector) {
            SecretValues injected = SecretValues.of((List<?>) vector.json("injected", List.of()));
            String redacted = vector.text("redacted");
            if (vector.has("text")) {
                String once = Redactor.DEFAULT.text(vector.text("text"), injected);
                assertEquals(redacted, once);
                assertEquals(redacted, Redactor.DEFAULT.text(once, injected));
            } else {
                Object details = Redactor.DEFAULT.details(Portable.decode(vector.text("details")), injected);
                SameJson.check(redacted, Portable.encode(details), "details");
            }
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
