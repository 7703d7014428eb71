import { AsyncLocalStorage } from "node:async_hooks";
import type { Message } from "@bufbuild/protobuf";
import { CooperativeScheduler } from "#dc/operations/answers/cooperative_scheduler.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import { checkAndChargeBinary, checkAndChargeJson } from "./body_meter.ts";
import { convertToConnectError } from "./errors.ts";
import { type MessageFormat, readMessage } from "./large_message.ts";

export interface RequestReadOptions {
  readonly account: ByteAccount;
  readonly format: MessageFormat;
  /** Connection on which the request arrived. */
  readonly peer: object;
  /** Whether `getReadMessage` returns the message, so that the library need not read it. */
  readonly keepsMessage: boolean;
}

interface RequestReading extends RequestReadOptions {
  message?: Message;
}

const currentReading = new AsyncLocalStorage<RequestReading>();

/** Answers a request of which `readRequestMessage` reads the message. */
export function runWithReading<Answer>(options: RequestReadOptions, answer: () => Promise<Answer>): Promise<Answer> {
  return currentReading.run({ ...options }, answer);
}

/**
 * Reads the message of the current request before the library does, in steps: its errors have no reason, and it would
 * read everything at once. Returns the bytes for the library: those of an empty message if the message is kept.
 * @throws Refusal
 */
export async function readRequestMessage<Bytes extends Uint8Array>(
  bytes: Bytes,
): Promise<Bytes | Uint8Array<ArrayBuffer>> {
  const reading = currentReading.getStore();
  if (reading === undefined) return bytes;
  const { format, peer, keepsMessage } = reading;
  const message = await new CooperativeScheduler(undefined, peer).run(readMessage(format, bytes));
  if (!keepsMessage) return bytes;
  reading.message = message;
  return format.isBinary ? new Uint8Array() : Buffer.from("{}");
}

/** Checks, charges and reads a decompressed message. Returns the bytes for the library. @throws ConnectError */
export async function readDecompressed(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const reading = currentReading.getStore();
  if (reading === undefined) return bytes;
  const { account, format, peer } = reading;
  try {
    await new CooperativeScheduler(undefined, peer).run(
      format.isBinary ? checkAndChargeBinary(format.input, bytes, account) : checkAndChargeJson(bytes, account),
    );
    return await readRequestMessage(bytes);
  } catch (error) {
    throw convertToConnectError(error, () => {});
  }
}

/** The message of the current request, if `readRequestMessage` kept it. */
export function getReadMessage(): Message | undefined {
  return currentReading.getStore()?.message;
}
