import type { BinaryReadOptions, DescMessage, JsonReadOptions, Message } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { refuse } from "#dc/model/refusal.ts";
import type { Steps } from "#kernel/steps.ts";
import { convertToConnectError } from "./errors.ts";
import { readLargeBinary } from "./large_binary.ts";
import { readLargeJson, UnknownEnumValue, UnreadableJson } from "./large_json.ts";
import { BINARY_ERROR_PREFIX, createUnreadableError } from "./unreadable.ts";

export interface LargeMessageFormat {
  readonly input: DescMessage;
  readonly isBinary: boolean;
  readonly options: Partial<JsonReadOptions & BinaryReadOptions>;
}

/**
 * Reads a large request in steps: reading 300,000 objects at once takes half a second, which would delay probes.
 * @throws ConnectError with the same refusal as the library's
 */
export function* readLargeMessage({ input, isBinary, options }: LargeMessageFormat, bytes: Uint8Array): Steps<Message> {
  try {
    return yield* isBinary ? readLargeBinary(input, bytes, options) : readLargeJson(input, bytes, options);
  } catch (error) {
    if (error instanceof UnknownEnumValue) {
      const { message, fieldPath: field, value, expected } = error;
      throw convertToConnectError(refuse("FIELD_OUT_OF_RANGE", message, { field, value, expected }), () => {});
    }
    if (error instanceof UnreadableJson)
      throw createUnreadableError(Code.InvalidArgument, error.message, error.fieldPath);
    throw createUnreadableError(
      Code.Internal,
      BINARY_ERROR_PREFIX + (error instanceof Error ? error.message : String(error)),
    );
  }
}
