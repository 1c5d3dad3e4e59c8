// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.matrix;

import dev.isonomy.tools.CallableTool;
import dev.isonomy.tools.ToolContext;
import java.util.List;
import java.util.Map;

/** The methods of {@link Plain} as tools that are classes. */
public abstract class Callable implements CallableTool {

    private static final String AMOUNT = "amount";
    private static final String TOGETHER = "together";
    private static final Map<String, ?> INTEGER = Map.of("type", "integer");

    private final String name;
    private final Body body;

    private interface Body {
        Object run(int amount, int together);
    }

    Callable(String name, Body body) {
        this.name = name;
        this.body = body;
    }

    @Override
    public String name() {
        return "callable_" + name;
    }

    @Override
    public Map<String, ?> inputSchema() {
        return Map.of(
                "type", "object",
                "properties", Map.of(AMOUNT, INTEGER, TOGETHER, INTEGER),
                "required", List.of(AMOUNT, TOGETHER),
                "additionalProperties", false);
    }

    @Override
    public Object call(Map<String, Object> arguments, ToolContext context) {
        return body.run(((Long) arguments.get(AMOUNT)).intValue(), ((Long) arguments.get(TOGETHER)).intValue());
    }

    /** {@link Plain#rawSuccess}. */
    public static final class RawSuccess extends Callable {
        /** The tool. */
        public RawSuccess() {
            super("raw_success", Plain::rawSuccess);
        }
    }

    /** {@link Plain#explicitSuccess}. */
    public static final class ExplicitSuccess extends Callable {
        /** The tool. */
        public ExplicitSuccess() {
            super("explicit_success", Plain::explicitSuccess);
        }
    }

    /** {@link Plain#returnedFailure}. */
    public static final class ReturnedFailure extends Callable {
        /** The tool. */
        public ReturnedFailure() {
            super("returned_failure", Plain::returnedFailure);
        }
    }

    /** {@link Plain#exception}. */
    public static final class Throwing extends Callable {
        /** The tool. */
        public Throwing() {
            super("exception", Plain::exception);
        }
    }

    /** {@link Plain#emptyObject}. */
    public static final class EmptyObject extends Callable {
        /** The tool. */
        public EmptyObject() {
            super("empty_object", Plain::emptyObject);
        }
    }

    /** {@link Plain#successFalse}. */
    public static final class SuccessFalse extends Callable {
        /** The tool. */
        public SuccessFalse() {
            super("success_false", Plain::successFalse);
        }
    }

    /** {@link Plain#isErrorTrue}. */
    public static final class IsErrorTrue extends Callable {
        /** The tool. */
        public IsErrorTrue() {
            super("is_error_true", Plain::isErrorTrue);
        }
    }

    /** {@link Plain#errorText}. */
    public static final class ErrorText extends Callable {
        /** The tool. */
        public ErrorText() {
            super("error_text", Plain::errorText);
        }
    }

    /** {@link Plain#ownEnvelope}. */
    public static final class OwnEnvelope extends Callable {
        /** The tool. */
        public OwnEnvelope() {
            super("own_envelope", Plain::ownEnvelope);
        }
    }

    /** {@link Plain#ownTag}. */
    public static final class OwnTag extends Callable {
        /** The tool. */
        public OwnTag() {
            super("own_tag", Plain::ownTag);
        }
    }

    /** {@link Plain#ownResponse}. */
    public static final class OwnResponse extends Callable {
        /** The tool. */
        public OwnResponse() {
            super("own_response", Plain::ownResponse);
        }
    }

    /** {@link Plain#nothing}. */
    public static final class Nothing extends Callable {
        /** The tool. */
        public Nothing() {
            super("nothing", (amount, together) -> {
                Plain.nothing(amount, together);
                return null;
            });
        }
    }
}
