import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMessage, JsonReadOptions, Message } from "@bufbuild/protobuf";
import { refuse } from "#dc/model/refusal.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import {
  describeUnknownEnumValue,
  findUnknownEnumValue,
  findUnreadableValue,
  type UnreadableValue,
} from "#dc/operations/messages/json_place.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import { tryParseJson } from "#kernel/json_object.ts";
import { runAllSteps } from "#kernel/steps.ts";
import { checkAndChargeBinary, checkAndChargeJson, LARGE_BODY_BYTES } from "./body_meter.ts";
import { convertToConnectError } from "./errors.ts";
import { type LargeMessageFormat, readLargeMessage } from "./large_message.ts";

export interface RequestReadOptions {
  readonly account: ByteAccount;
  readonly input: DescMessage;
  readonly isBinary: boolean;
  /** Whether the shape of the JSON was checked as it arrived. */
  readonly isScanned: boolean;
  /** Connection on which the request arrived. */
  readonly peer: object;
  /** Message type and decoding options of a large request; absent if the request is always small. */
  readonly form: LargeMessageFormat | undefined;
}

interface RequestReading extends RequestReadOptions {
  isScanned: boolean;
  /** The message of a large request that has been read in steps. */
  largeMessage?: Message;
  lastJson?: { readonly text: string; readonly input: DescMessage; readonly options: Partial<JsonReadOptions> };
}

const currentReading = new AsyncLocalStorage<RequestReading>();
/** Whether the shape of the JSON that is being decoded was checked before. */
let isScannedNow = false;

// Bytes that are not UTF-8 are refused instead of turning into other characters.
const utf8Decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns a decoder of one method's JSON requests in the library's form. It stores the text within
 * `runWithFieldLookup`, because the library's errors name no field.
 */
export function createRequestDecoder(input: DescMessage, options: Partial<JsonReadOptions>): TextDecoder {
  const decode = (bytes: Uint8Array): string => {
    const reading = isScannedNow ? undefined : currentReading.getStore();
    if (!isScannedNow && reading?.isScanned !== true) assertJsonShape(bytes);
    const text = utf8Decoder.decode(bytes);
    if (reading !== undefined) reading.lastJson = { text, input, options };
    if (options.ignoreUnknownFields === true) assertKnownEnumValues(input, text);
    return text;
  };
  return Object.assign(new TextDecoder("utf-8", { fatal: true }), { decode });
}

/** Checks nesting and size of a decompressed JSON body without envelope. @throws ConnectError if one is too large */
function assertJsonShape(bytes: Uint8Array): void {
  try {
    runAllSteps(checkAndChargeJson(bytes));
  } catch (error) {
    throw convertToConnectError(error, () => {});
  }
}

/** Checks and charges a decompressed message within `runWithFieldLookup`. Returns the bytes that the library parses. */
export async function prepareDecompressed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const reading = currentReading.getStore();
  if (reading === undefined) return bytes;
  const { account, input, isBinary, peer } = reading;
  const scheduler = new CooperativeScheduler(undefined, peer);
  const checked = scheduler.run(
    isBinary ? checkAndChargeBinary(input, bytes, account) : checkAndChargeJson(bytes, account),
  );
  await checked.catch((error: unknown) => {
    throw convertToConnectError(error, () => {});
  });
  reading.isScanned = true;
  return readLargeInSteps(bytes);
}

/**
 * Parses a large message in steps and stores it for `getCurrentLargeMessage`. Returns an empty message for the library,
 * which would parse everything at once. Returns small input unchanged.
 * @throws ConnectError
 */
export async function readLargeInSteps<Bytes extends Uint8Array>(
  bytes: Bytes,
): Promise<Bytes | Uint8Array<ArrayBuffer>> {
  const reading = currentReading.getStore();
  if (reading?.form === undefined || bytes.length < LARGE_BODY_BYTES) return bytes;
  const { form, peer } = reading;
  reading.largeMessage = await new CooperativeScheduler(undefined, peer).run(readLargeMessage(form, bytes));
  reading.isScanned = true;
  return form.isBinary ? new Uint8Array() : Buffer.from("{}");
}

/** The message of the current request, if it was read in steps. */
export function getCurrentLargeMessage(): Message | undefined {
  return currentReading.getStore()?.largeMessage;
}

/** Reads JSON whose shape was checked as it arrived, without the cost of another check: about 2 ms per MiB. */
export function runWithoutShapeCheck<Message>(read: () => Message): Message {
  isScannedNow = true;
  try {
    return read();
  } finally {
    isScannedNow = false;
  }
}

/** Runs a request, and passes its reply and a function that finds the field of an unreadable value to `explainAnswer`. */
export function runWithFieldLookup<Answer>(
  request: RequestReadOptions,
  answer: () => Promise<Answer>,
  explainAnswer: (answer: Answer, part: () => UnreadableValue) => Promise<Answer>,
): Promise<Answer> {
  const reading: RequestReading = { ...request };
  return currentReading.run(reading, async () => explainAnswer(await answer(), () => findUnreadablePart(reading)));
}

function findUnreadablePart({ lastJson }: RequestReading): UnreadableValue {
  const json = lastJson === undefined ? undefined : tryParseJson(lastJson.text);
  if (lastJson === undefined || json === undefined) return { field: "", enumValue: undefined };
  return findUnreadableValue(lastJson.input, json, lastJson.options);
}

function assertKnownEnumValues(input: DescMessage, text: string): void {
  const found = findUnknownEnumValue(input, tryParseJson(text));
  if (found === undefined) return;
  throw convertToConnectError(refuse("FIELD_OUT_OF_RANGE", describeUnknownEnumValue(found), found), () => {});
}
