import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { refuse } from "#dc/model/refusal.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import type { Steps } from "#kernel/clock.ts";
import type { OperationError } from "#kernel/errors.ts";
import { JsonShapeScan } from "#kernel/json_cuts.ts";
import type { ByteAccount } from "#kernel/slots.ts";
import { computeMaxInflatedBytes } from "./limits.ts";

/** Estimated memory of one parsed value, in bytes. Our choice: not measured. */
const VALUE_BYTES = 100;
/** Memory of one object or message without its values, in bytes: measured with 1,000 devices of 299 ports. */
const OBJECT_BYTES = 800;
const MIB = 1024 * 1024;
/** Number of copies of a JSON text during parsing: as bytes, as a string, and once more to locate an error in it. */
const JSON_COPIES = 3;

/** Number of bytes of JSON that are scanned in one step, which takes some hundred microseconds. */
const SCAN_STEP_BYTES = 128 * 1024;

/** Size in bytes from which a body is scanned and parsed in steps, so that other calls can run in between. */
export const LARGE_BODY_BYTES = 16 * 1024;

/** Returns the refusal for a used-up memory budget. */
export function createBusyRefusal(): OperationError {
  return refuse("SERVER_BUSY", "The server holds as many bytes of other requests as it may: try again later");
}

/** Returns the refusal of a request body or message of more than `limit` bytes. */
export function createSizeRefusal(limit: number): OperationError {
  return refuse("MESSAGE_TOO_LARGE", `The message is too large: expected at most ${limit} bytes`);
}

/** Returns the error for a body whose sender disconnected. It is not sent; metrics count it as cancelled. */
export function createUploadAbortedError(): ConnectError {
  return new ConnectError("The caller aborted the request", Code.Canceled);
}

interface BodyMeterOptions {
  readonly account: ByteAccount;
  readonly isJson: boolean;
  /** Whether the body is compressed: its shape is then checked after decompression. */
  readonly isCompressed?: boolean;
  readonly peer?: object;
}

/** Whether the value of `Content-Encoding` or `grpc-encoding` names a coding other than identity. */
export function isEncoded(encoding: string | null | undefined): boolean {
  return encoding !== null && encoding !== undefined && encoding.trim().toLowerCase() !== "identity";
}

/** Charges a body to the memory budget and checks the shape of its JSON while it arrives. */
export class BodyMeter {
  readonly #account: ByteAccount;
  readonly #scan: JsonShapeScan | undefined;
  readonly #isCompressed: boolean;
  readonly scheduler: CooperativeScheduler;
  #bytes = 0;

  constructor({ account, isJson, isCompressed = false, peer }: BodyMeterOptions) {
    this.scheduler = new CooperativeScheduler(undefined, peer);
    this.#account = account;
    this.#scan = isJson && !isCompressed ? new JsonShapeScan() : undefined;
    this.#isCompressed = isCompressed;
  }

  /** Charges and scans the next piece; yields before a large one. @throws Refusal SERVER_BUSY or MESSAGE_TOO_COMPLEX */
  async chargeAndScan(bytes: Uint8Array): Promise<void> {
    this.chargeBytes(bytes);
    if (bytes.length >= LARGE_BODY_BYTES) await this.scheduler.yieldIfDue();
    this.scanJson(bytes);
  }

  /** Charges the next piece. @throws Refusal SERVER_BUSY */
  chargeBytes(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (!this.#account.tryCharge(bytes.length)) throw createBusyRefusal();
  }

  /** Checks the shape of the next piece. Cost: about 2 ms per MiB. @throws Refusal MESSAGE_TOO_COMPLEX */
  scanJson(bytes: Uint8Array): void {
    const problem = this.#scan?.scanChunk(bytes);
    if (problem !== undefined) throw createComplexityRefusal(problem);
  }

  /** Checks decompressed JSON and charges the memory for parsing it. @throws Refusal MESSAGE_TOO_COMPLEX or SERVER_BUSY */
  checkShape(bytes: Uint8Array): Steps<void> {
    return checkAndChargeJson(bytes, this.#account);
  }

  /** Charges the memory for parsing the complete body. @throws Refusal SERVER_BUSY */
  chargeParsing(): void {
    const inflated = this.#isCompressed ? computeMaxInflatedBytes(this.#bytes) : 0;
    const json = this.#scan === undefined ? 0 : estimateJsonMemory(this.#scan, this.#bytes);
    chargeParsing(this.#account, inflated + json);
  }
}

/**
 * Checks the shape of a complete JSON text and charges the account, if given, for the memory of parsing it.
 * @throws Refusal MESSAGE_TOO_COMPLEX or SERVER_BUSY
 */
export function* checkAndChargeJson(bytes: Uint8Array, account?: ByteAccount): Steps<void> {
  const scan = new JsonShapeScan();
  for (let at = 0; at < bytes.length; at += SCAN_STEP_BYTES) {
    const problem = scan.scanChunk(bytes.subarray(at, at + SCAN_STEP_BYTES));
    if (problem !== undefined) throw createComplexityRefusal(problem);
    yield;
  }
  if (account !== undefined) chargeParsing(account, estimateJsonMemory(scan, bytes.length));
}

/**
 * Checks the shape of a binary message and charges the account. Skips small messages.
 * @throws Refusal MESSAGE_TOO_COMPLEX or SERVER_BUSY
 */
export function* checkAndChargeBinary(desc: DescMessage, bytes: Uint8Array, account: ByteAccount): Steps<void> {
  if (bytes.length <= MIN_SCANNED_BYTES) return;
  const { values, messages, problem } = yield* measureWireShape(desc, bytes);
  if (problem !== undefined) throw refuse("MESSAGE_TOO_COMPLEX", `Cannot read the message of the request: ${problem}`);
  chargeParsing(account, values * VALUE_BYTES + messages * OBJECT_BYTES);
}

/** Charges the memory of a parsed message. Trying again helps only with one that fits beside fewer other requests. */
function chargeParsing(account: ByteAccount, bytes: number): void {
  if (account.tryCharge(bytes)) return;
  if (account.canEverCharge(bytes)) throw createBusyRefusal();
  throw refuse(
    "MESSAGE_TOO_COMPLEX",
    `Cannot read the request: its objects take ${Math.ceil(bytes / MIB)} MiB, more than one request may take of the memory budget`,
  );
}

function estimateJsonMemory({ values, objects }: JsonShapeScan, bytes: number): number {
  return values * VALUE_BYTES + objects * OBJECT_BYTES + bytes * JSON_COPIES;
}

function createComplexityRefusal(problem: string): OperationError {
  return refuse("MESSAGE_TOO_COMPLEX", `Cannot read the JSON of the request: ${problem}`);
}

/** Maximum nesting of messages. */
const MAX_WIRE_DEPTH = 64;
/** Maximum number of fields and list elements of one message, as for JSON. */
const MAX_WIRE_VALUES = 1_000_000;
/** Size in bytes up to which bodies are not scanned, because they have few fields. */
const MIN_SCANNED_BYTES = 16 * 1024;

/** Number of values that are counted in one step. Our choice: some hundred microseconds. */
const STEP_VALUES = 16_384;

/** The wire type of texts, messages and packed lists. Source: Protocol Buffers, Encoding. */
const DELIMITED_TYPE = 2;

/** Size of a binary message, counted from its bytes. */
interface WireShape {
  readonly values: number;
  readonly messages: number;
  /** The exceeded limit at which counting stopped; absent if none was exceeded. */
  readonly problem?: string;
}

/**
 * Counts the fields and messages of a binary message before a parser builds objects of them: two bytes can expand to an
 * object of a kilobyte. Malformed bytes end the count, and the parser reports them.
 *
 * Cost: one pass over the tags without allocation per field, in steps; at most 20 ms in all.
 */
function* measureWireShape(desc: DescMessage, bytes: Uint8Array): Steps<WireShape> {
  const walk = new WireWalk(desc, bytes);
  while (!walk.isOver) {
    walk.countNextValues();
    yield;
  }
  const { values, messages, problem } = walk;
  return { values, messages, ...(problem !== undefined && { problem }) };
}

/** Way to count the bytes of a field: as a message, as elements of a packed list, or as one value. */
type ContentKind = DescMessage | "packed" | undefined;

const contentKindsByMessage = new WeakMap<DescMessage, ReadonlyMap<number, ContentKind>>();

function mapContentKinds(desc: DescMessage): ReadonlyMap<number, ContentKind> {
  const known = contentKindsByMessage.get(desc);
  if (known !== undefined) return known;
  const made = new Map(desc.fields.map((field) => [field.number, findContentKind(field)]));
  contentKindsByMessage.set(desc, made);
  return made;
}

function findContentKind(field: DescField): ContentKind {
  if (field.fieldKind === "message") return field.message;
  if (field.fieldKind === "map") return field.message;
  if (field.fieldKind !== "list") return undefined;
  if (field.listKind === "message") return field.message;
  return field.packed ? "packed" : undefined;
}

/** A message whose fields are being counted. */
interface OpenMessage {
  readonly fields: ReadonlyMap<number, ContentKind>;
  readonly end: number;
}

class WireWalk {
  values = 0;
  messages = 1;
  problem: string | undefined;
  readonly #bytes: Uint8Array;
  /** The messages around the current field, the innermost last. */
  readonly #open: OpenMessage[];
  #at = 0;

  constructor(desc: DescMessage, bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#open = [{ fields: mapContentKinds(desc), end: bytes.length }];
  }

  get isOver(): boolean {
    return this.problem !== undefined || this.#open.length === 0;
  }

  /** Counts the next values. */
  countNextValues(): void {
    const until = this.values + STEP_VALUES;
    while (!this.isOver && this.values < until) {
      const inner = this.#open.at(-1);
      if (inner === undefined) return;
      if (this.#at < inner.end) {
        this.#countField(inner);
        continue;
      }
      this.#at = inner.end;
      this.#open.pop();
    }
  }

  #countField(inner: OpenMessage): void {
    const tag = this.#readVarint();
    this.values += 1;
    const wireType = tag & 7;
    if (wireType === DELIMITED_TYPE) this.#countDelimited(inner.fields.get(tag >>> 3), inner.end);
    else this.#skipValue(wireType);
    if (this.values > MAX_WIRE_VALUES) this.problem ??= `more than ${MAX_WIRE_VALUES} values`;
  }

  /** Skips a value. The fields of a group are counted as fields of the message. */
  #skipValue(wireType: number): void {
    if (wireType === 0) this.#readVarint();
    else if (wireType === 1) this.#at += 8;
    else if (wireType === 5) this.#at += 4;
    else if (wireType > 5) this.#at = this.#bytes.length;
  }

  #countDelimited(content: ContentKind, end: number): void {
    const length = this.#readVarint();
    const until = Math.min(this.#at + length, end);
    if (content === "packed") this.values += length;
    if (content === "packed" || content === undefined) {
      this.#at = until;
      return;
    }
    this.messages += 1;
    this.#open.push({ fields: mapContentKinds(content), end: until });
    if (this.#open.length > MAX_WIRE_DEPTH) this.problem = `nested deeper than ${MAX_WIRE_DEPTH} levels`;
  }

  /** Reads a varint; returns the lower 32 bits. */
  #readVarint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at++] ?? 0;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80 || shift >= 63) return value >>> 0;
    }
  }
}
