import { createHmac } from "node:crypto";
import type { SendOutcome } from "#dc/notices/notice_sender.ts";
import type { Notice } from "#dc/operations/notices/notice.ts";
import { FollowedFile } from "#interfaces/http/followed_file.ts";
import { OperationError } from "#kernel/errors.ts";
import { buildMessage } from "./notice_text.ts";
import type { AddressedReceiver } from "./receivers_file.ts";

/** Maximum wait for a receiver's reply, in milliseconds. Source: Standard Webhooks recommends 15 to 30 seconds. */
const PATIENCE_MS = 15_000;
const PREFIX = "whsec_";
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Minimum and maximum length of a key in bytes. Source: Standard Webhooks. */
const [LEAST_BYTES, MOST_BYTES] = [24, 64];

type Keys = readonly Buffer[];

/** Sends notices to their receivers. */
export class NoticePoster {
  readonly #receivers: ReadonlyMap<string, AddressedReceiver>;
  readonly #keys: ReadonlyMap<string, FollowedFile<Keys>>;
  readonly #signal: AbortSignal;

  private constructor(
    receivers: readonly AddressedReceiver[],
    keys: ReadonlyMap<string, FollowedFile<Keys>>,
    signal: AbortSignal,
  ) {
    this.#receivers = new Map(receivers.map((one) => [one.name, one]));
    this.#keys = keys;
    this.#signal = signal;
  }

  /**
   * Opens the secret files of the receivers and reads them again when they change.
   * @throws OperationError for a file that cannot be read or has no secret
   */
  static async open(
    receivers: readonly AddressedReceiver[],
    { say, signal }: { readonly say: (message: string) => void; readonly signal: AbortSignal },
  ): Promise<NoticePoster> {
    const keys = new Map<string, FollowedFile<Keys>>();
    for (const { name, secretFile: path } of receivers) {
      if (path === undefined) continue;
      const meanwhile = `notices to "${name}" wait`;
      keys.set(
        name,
        await FollowedFile.open({ path, name: `secret file of receiver "${name}"`, meanwhile, parse: parseKeys, say }),
      );
    }
    return new NoticePoster(receivers, keys, signal);
  }

  /** Sends one notice. A status from 200 to 299 is a success; redirects are not followed. */
  async post(notice: Notice): Promise<SendOutcome> {
    const receiver = this.#receivers.get(notice.receiver);
    if (receiver === undefined) return { isTaken: false, error: "the receiver is not in the file" };
    const keys = await this.#keys.get(notice.receiver)?.current();
    if (receiver.secretFile !== undefined && keys === undefined)
      return { isTaken: false, error: "its secret is unknown" };
    const body = buildMessage(notice, receiver.template);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      "content-type": "application/json",
      "webhook-id": notice.id,
      "webhook-timestamp": timestamp,
      ...(keys !== undefined && { "webhook-signature": signText(keys, `${notice.id}.${timestamp}.${body}`) }),
    };
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      const response = await fetch(receiver.url, { method: "POST", headers, body, redirect: "manual", signal });
      // The reply's content is not used, and it may never end.
      await response.body?.cancel();
      return response.ok ? { isTaken: true } : { isTaken: false, error: `it answered ${response.status}` };
    } catch (error) {
      return { isTaken: false, error: describeFailure(error as Error) };
    }
  }
}

/** Describes an error without the receiver's address, because addresses of chat tools are secrets. */
function describeFailure({ name, cause, message, code: own }: Error & { readonly code?: unknown }): string {
  if (name === "TimeoutError") return `it did not answer in ${PATIENCE_MS / 1000} s`;
  const code = (cause as { code?: unknown } | undefined)?.code ?? own;
  return typeof code === "string" ? code : message.replaceAll(/https?:\S+/g, "its address");
}

/** Signs a text with each secret, so that secrets can be replaced one at a time. */
function signText(keys: Keys, text: string): string {
  return keys.map((key) => `v1,${createHmac("sha256", key).update(text).digest("base64")}`).join(" ");
}

/** Parses secrets, one per line. @throws OperationError for an invalid secret, and for a text without secrets */
export function parseKeys(text: string): Keys {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const secrets = lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => (line.startsWith(PREFIX) ? line.slice(PREFIX.length) : line));
  // Node's decoder skips invalid characters, so a mistyped secret would become another one.
  const keys = secrets.map((secret) => Buffer.from(BASE64.test(secret) ? secret : "", "base64"));
  if (keys.length > 0 && keys.every(({ length }) => length >= LEAST_BYTES && length <= MOST_BYTES)) return keys;
  throw new OperationError(
    "invalid_argument",
    `expected one secret a line: ${PREFIX} and ${LEAST_BYTES} to ${MOST_BYTES} random bytes in base64`,
  );
}
