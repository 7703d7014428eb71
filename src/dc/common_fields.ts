import { MAX_CHANGE_MESSAGE_CHARS } from "./limits.ts";
import { refuse } from "./model/refusal.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** What every mutation carries beside its own fields. */
export interface Common {
  readonly requestId: string;
  readonly validateOnly: boolean;
  readonly changeMessage: string;
}

/** Checks the common fields of a change. @throws Refusal FIELD_OUT_OF_RANGE */
export function checkCommon({ requestId, changeMessage }: Common): void {
  if (requestId !== "" && !UUID.test(requestId)) {
    throw refuse("FIELD_OUT_OF_RANGE", `Cannot read request_id "${requestId}": expected a UUID`, {
      field: "request_id",
      value: requestId,
      expected: "a UUID",
    });
  }
  if (changeMessage.length <= MAX_CHANGE_MESSAGE_CHARS && !changeMessage.includes("\0")) return;
  const expected = `at most ${MAX_CHANGE_MESSAGE_CHARS} characters, none of them U+0000`;
  throw refuse("FIELD_OUT_OF_RANGE", `Cannot take the change message: expected ${expected}`, {
    field: "change_message",
    value: `${changeMessage.length} characters`,
    expected,
  });
}
