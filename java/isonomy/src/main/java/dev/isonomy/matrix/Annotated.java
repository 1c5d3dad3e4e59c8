// SPDX-License-Identifier: Apache-2.0
package dev.isonomy.matrix;

import dev.isonomy.contract.ToolResponse;
import dev.isonomy.tools.Tool;
import java.util.Map;

/** The methods of {@link Plain} as annotated methods of an instance. */
public final class Annotated {

    /** {@link Plain#rawSuccess}. */
    @Tool(name = "annotated_raw_success")
    public Map<String, Object> rawSuccess(int amount, int together) {
        return Plain.rawSuccess(amount, together);
    }

    /** {@link Plain#explicitSuccess}. */
    @Tool(name = "annotated_explicit_success")
    public ToolResponse explicitSuccess(int amount, int together) {
        return Plain.explicitSuccess(amount, together);
    }

    /** {@link Plain#returnedFailure}. */
    @Tool(name = "annotated_returned_failure")
    public ToolResponse returnedFailure(int amount, int together) {
        return Plain.returnedFailure(amount, together);
    }

    /** {@link Plain#exception}. */
    @Tool(name = "annotated_exception")
    public Object exception(int amount, int together) {
        return Plain.exception(amount, together);
    }

    /** {@link Plain#emptyObject}. */
    @Tool(name = "annotated_empty_object")
    public Object emptyObject(int amount, int together) {
        return Plain.emptyObject(amount, together);
    }

    /** {@link Plain#successFalse}. */
    @Tool(name = "annotated_success_false")
    public Object successFalse(int amount, int together) {
        return Plain.successFalse(amount, together);
    }

    /** {@link Plain#isErrorTrue}. */
    @Tool(name = "annotated_is_error_true")
    public Object isErrorTrue(int amount, int together) {
        return Plain.isErrorTrue(amount, together);
    }

    /** {@link Plain#errorText}. */
    @Tool(name = "annotated_error_text")
    public Object errorText(int amount, int together) {
        return Plain.errorText(amount, together);
    }

    /** {@link Plain#ownEnvelope}. */
    @Tool(name = "annotated_own_envelope")
    public Object ownEnvelope(int amount, int together) {
        return Plain.ownEnvelope(amount, together);
    }

    /** {@link Plain#ownTag}. */
    @Tool(name = "annotated_own_tag")
    public Object ownTag(int amount, int together) {
        return Plain.ownTag(amount, together);
    }

    /** {@link Plain#ownResponse}. */
    @Tool(name = "annotated_own_response")
    public Object ownResponse(int amount, int together) {
        return Plain.ownResponse(amount, together);
    }

    /** {@link Plain#nothing}. */
    @Tool(name = "annotated_nothing")
    public void nothing(int amount, int together) {
        Plain.nothing(amount, together);
    }
}
