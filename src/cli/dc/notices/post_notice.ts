import { createHmac } from "node:crypto";
import type { SendOutcome } from "#dc/notices/notice_sender.ts";
import type { Notice } from "#dc/operations/notices/notice.ts";
import { FollowedFile } from "#interfaces/http/followed_file.ts";
import { OperationError } from "#kernel/errors.ts";
import { buildMessageBody } from "./notice_text.ts";
import type { AddressedReceiver } from "./receivers_file.ts";

/** Maximum wait for a receiver's reply, in milliseconds. Source: Standard Webhooks recommends 15 to 30 seconds. */
const REPLY_TIMEOUT_MS = 15_000;
const SECRET_PREFIX = "whsec_";
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Minimum and maximum length of a key in bytes. Source: Standard Webhooks. */
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64];

type SigningKeys = readonly Buffer[];

/** Sends notices to their receivers. */
export class NoticePoster {
  readonly #receivers: ReadonlyMap<string, AddressedReceiver>;
  readonly #keys: ReadonlyMap<string, FollowedFile<SigningKeys>>;
  readonly #signal: AbortSignal;

  private constructor(
    receivers: readonly AddressedReceiver[],
    keys: ReadonlyMap<string, FollowedFile<SigningKeys>>,
    signal: AbortSignal,
  ) {
    this.#receivers = new Map(receivers.map((one) => [one.name, one]));
    this.#keys = keys;
    this.#signal = signal;
  }

  /** Opens the receivers' secret files and rereads them when they change. @throws OperationError for an invalid file */
  static async open(
    receivers: readonly AddressedReceiver[],
    { say, signal }: { readonly say: (message: string) => void; readonly signal: AbortSignal },
  ): Promise<NoticePoster> {
    const keys = new Map<string, FollowedFile<SigningKeys>>();
    for (const { name, secretFile: path } of receivers) {
      if (path === undefined) continue;
      const meanwhile = `notices to "${name}" wait`;
      keys.set(
        name,
        await FollowedFile.open({
          path,
          name: `secret file of receiver "${name}"`,
          meanwhile,
          parseContent: parseSigningKeys,
          report: say,
        }),
      );
    }
    return new NoticePoster(receivers, keys, signal);
  }

  /** Sends one notice. A status from 200 to 299 is a success; redirects are not followed. */
  async postNotice(notice: Notice): Promise<SendOutcome> {
    const receiver = this.#receivers.get(notice.receiver);
    if (receiver === undefined) return { isTaken: false, error: "the receiver is not in the file" };
    const keys = await this.#keys.get(notice.receiver)?.readCurrent();
    if (receiver.secretFile !== undefined && keys === undefined)
      return { isTaken: false, error: "its secret is unknown" };
    const body = buildMessageBody(notice, receiver.template);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = {
      "content-type": "application/json",
      "webhook-id": notice.id,
      "webhook-timestamp": timestamp,
      ...(keys !== undefined && { "webhook-signature": signText(keys, `${notice.id}.${timestamp}.${body}`) }),
    };
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(REPLY_TIMEOUT_MS)]);
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
  if (name === "TimeoutError") return `it did not answer in ${REPLY_TIMEOUT_MS / 1000} s`;
  const code = (cause as { code?: unknown } | undefined)?.code ?? own;
  return typeof code === "string" ? code : message.replaceAll(/https?:\S+/g, "its address");
}

/** Signs a text with each secret, so that secrets can be replaced one at a time. */
function signText(keys: SigningKeys, text: string): string {
  return keys.map((key) => `v1,${createHmac("sha256", key).update(text).digest("base64")}`).join(" ");
}

/** Parses secrets, one per line. @throws OperationError for an invalid secret, and for a text without secrets */
export function parseSigningKeys(text: string): SigningKeys {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const secrets = lines
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => (line.startsWith(SECRET_PREFIX) ? line.slice(SECRET_PREFIX.length) : line));
  // Node's decoder skips invalid characters, so a mistyped secret would become another one.
  const keys = secrets.map((secret) => Buffer.from(BASE64.test(secret) ? secret : "", "base64"));
  if (keys.length > 0 && keys.every(({ length }) => length >= MIN_KEY_BYTES && length <= MAX_KEY_BYTES)) return keys;
  throw new OperationError(
    "invalid_argument",
    `expected one secret a line: ${SECRET_PREFIX} and ${MIN_KEY_BYTES} to ${MAX_KEY_BYTES} random bytes in base64`,
  );
}
