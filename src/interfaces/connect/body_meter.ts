import type { DescMessage } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { refuse } from "#dc/model/refusal.ts";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import type { OperationError } from "#kernel/errors.ts";
import { JsonShapeScan } from "#kernel/json_scan.ts";
import type { Steps } from "#kernel/steps.ts";
import { computeMaxInflatedBytes } from "./limits.ts";
import { MIN_SCANNED_BYTES, measureWireShape } from "./wire_scan.ts";

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

export interface BodyMeterOptions {
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
