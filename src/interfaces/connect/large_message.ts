import type { BinaryReadOptions, DescMessage, JsonReadOptions, Message } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { refuse } from "#dc/model/refusal.ts";
import type { Steps } from "#kernel/steps.ts";
import { toConnectError } from "./errors.ts";
import { largeBinary } from "./large_binary.ts";
import { largeJson, UnknownWord, UnreadableJson } from "./large_json.ts";
import { BROKEN_BINARY, unreadableRequest } from "./unreadable.ts";

export interface LargeForm {
  readonly input: DescMessage;
  readonly isBinary: boolean;
  readonly options: Partial<JsonReadOptions & BinaryReadOptions>;
}

/**
 * Reads a large request in steps: 300,000 objects take half a second, for which probes would wait.
 *
 * @throws ConnectError, the refusal that the library's answer to such a request becomes
 */
export function* largeMessage({ input, isBinary, options }: LargeForm, bytes: Uint8Array): Steps<Message> {
  try {
    return yield* isBinary ? largeBinary(input, bytes, options) : largeJson(input, bytes, options);
  } catch (error) {
    if (error instanceof UnknownWord) {
      const { message, place: field, value, expected } = error;
      throw toConnectError(refuse("FIELD_OUT_OF_RANGE", message, { field, value, expected }), () => {});
    }
    if (error instanceof UnreadableJson) throw unreadableRequest(Code.InvalidArgument, error.message, error.place);
    throw unreadableRequest(Code.Internal, BROKEN_BINARY + (error instanceof Error ? error.message : String(error)));
  }
}
