import { Code, ConnectError } from "@connectrpc/connect";
import { refuse } from "#dc/model/refusal.ts";
import type { ByteAccount } from "#kernel/byte_budget.ts";
import type { OperationError } from "#kernel/errors.ts";
import { JsonScan } from "#kernel/json_scan.ts";

/** Memory of one parsed JSON value, in bytes. Ours: an estimate, not measured. */
const VALUE_BYTES = 100;
/** Copies of a JSON text that reading it makes, as bytes and as a string, and again to name what is wrong with it. */
const JSON_COPIES = 3;
/** How much a compressed body may grow. Source: the limit of deflate, about 1,030; brotli's is higher, but rarely met. */
const MOST_GROWTH = 1000;

/** A refusal because the memory budget is used up. */
export function serverBusy(): OperationError {
  return refuse("SERVER_BUSY", "The server holds as many bytes of other requests as it may: try again later");
}

/** The error of a body whose sender has gone: it is not sent, and metrics count it as cancelled. */
export function uploadAborted(): ConnectError {
  return new ConnectError("The caller aborted the request", Code.Canceled);
}

export interface MeteredBody {
  readonly account: ByteAccount;
  readonly isJson: boolean;
  /** The most that the decompressed body may have; undefined for a body that is sent as it is. */
  readonly inflatesTo?: number | undefined;
}

/** Charges a body to the memory budget and checks the shape of its JSON while it arrives. */
export class BodyMeter {
  readonly #account: ByteAccount;
  readonly #scan: JsonScan | undefined;
  readonly #inflatesTo: number | undefined;
  #bytes = 0;

  constructor({ account, isJson, inflatesTo }: MeteredBody) {
    this.#account = account;
    this.#scan = isJson && inflatesTo === undefined ? new JsonScan() : undefined;
    this.#inflatesTo = inflatesTo;
  }

  /** Takes the next piece. @throws Refusal SERVER_BUSY or MESSAGE_TOO_COMPLEX */
  take(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (!this.#account.hold(bytes.length)) throw serverBusy();
    const problem = this.#scan?.feed(bytes);
    if (problem !== undefined) throw tooComplex(problem);
  }

  /** Charges what reading the whole body will take. @throws Refusal SERVER_BUSY */
  finish(): void {
    const inflated = this.#inflatesTo === undefined ? 0 : Math.min(this.#bytes * MOST_GROWTH, this.#inflatesTo);
    const json = this.#scan === undefined ? 0 : this.#scan.values * VALUE_BYTES + this.#bytes * JSON_COPIES;
    if (!this.#account.hold(inflated + json)) throw serverBusy();
  }
}

/** Checks a JSON text whose bytes could not be checked before: decompressed ones. @throws Refusal MESSAGE_TOO_COMPLEX */
export function checkJsonShape(bytes: Uint8Array): void {
  const problem = new JsonScan().feed(bytes);
  if (problem !== undefined) throw tooComplex(problem);
}

function tooComplex(problem: string): OperationError {
  return refuse("MESSAGE_TOO_COMPLEX", `Cannot read the JSON of the request: ${problem}`);
}
