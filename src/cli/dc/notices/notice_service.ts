import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { FAILURE_SEVERITIES, type FailureSeverity } from "#dc/model/enum_values.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import { NoticeSender, SendingLease, type SendOutcome } from "#dc/notices/notice_sender.ts";
import { type Receiver, RiskWatch } from "#dc/notices/risk_watch.ts";
import { type Notice, RISK_KINDS, type RiskKind, storeReceiverNames } from "#dc/operations/notices/notice.ts";
import type { DcStore } from "#dc/ports.ts";
import type { DcService } from "#dc/service.ts";
import { FollowedFile } from "#interfaces/http/followed_file.ts";
import { SYSTEM_CLOCK } from "#kernel/clock.ts";
import { createInvalidArgumentError, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { OutageReporter } from "#kernel/notices.ts";

/** Milliseconds between two checks for notices and changes. */
const CHECK_INTERVAL_MS = 1000;

interface NoticeOptions {
  readonly store: DcStore;
  readonly service: DcService;
  readonly say: (message: string) => void;
}

/** Watches risks and sends notices while a server runs. */
export class NoticeService {
  readonly #options: NoticeOptions;
  readonly #watch: RiskWatch;
  readonly #sender: NoticeSender;
  readonly #lease: SendingLease;
  readonly #stop: AbortController;
  readonly #names: readonly string[];
  #loops: readonly Promise<void>[] = [];

  private constructor(options: NoticeOptions, parts: OpenedReceivers) {
    this.#options = options;
    this.#stop = parts.stop;
    this.#names = parts.receivers.map(({ name }) => name);
    const { store, service, say } = options;
    const clock = SYSTEM_CLOCK;
    this.#watch = new RiskWatch({ store, service, receivers: parts.receivers, clock, newId: randomUUID, say });
    const post = parts.poster.postNotice.bind(parts.poster);
    this.#sender = new NoticeSender({
      store,
      clock,
      postNotice: post,
      receivers: this.#names,
      say,
      random: Math.random,
    });
    this.#lease = new SendingLease(clock);
  }

  /** Starts watching and sending; returns undefined without receivers. */
  static start(options: NoticeOptions, parts: OpenedReceivers | undefined): NoticeService | undefined {
    if (parts === undefined) return undefined;
    const service = new NoticeService(options, parts);
    service.#loops = [
      service.#repeatWork("Notices cannot be sent", () => service.#sendNotices()),
      service.#repeatWork("Risks cannot be watched", () => service.#watchRisks((watch) => watch.readChangedRisks())),
      service.#repeatWork("Racks cannot be watched", () => service.#watchRisks((watch) => watch.readRacksAtFault())),
    ];
    return service;
  }

  /** Aborts requests in progress; the next server sends their notices again. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#loops);
    await this.#sender.waitForAttempts();
    await this.#options.store.write((writer) => this.#lease.releaseLease(writer)).catch(() => {});
  }

  async #repeatWork(failure: string, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    const words = { gone: (why: string) => `${failure}: ${why}`, back: `${failure}: over` };
    const outage = new OutageReporter(words, this.#options.say);
    while (!signal.aborted) {
      try {
        await work();
        outage.recordSuccess();
      } catch (error) {
        outage.recordFailure((error as Error).message);
      }
      if (!signal.aborted) await this.#sender.waitForAnyAttempt(CHECK_INTERVAL_MS, signal);
    }
  }

  async #sendNotices(): Promise<void> {
    const { store } = this.#options;
    if (this.#lease.isRenewalDue && !(await store.read((reader) => this.#lease.isHeldByOther(reader)))) {
      await store.write(async (writer) => {
        if (!(await this.#lease.acquireLease(writer))) return;
        await storeReceiverNames(writer, this.#names);
        await this.#options.service.passedTime.count(writer);
      });
    }
    if (this.#lease.isHeld) await this.#sender.startDueAttempts();
  }

  async #watchRisks(read: (watch: RiskWatch) => Promise<number>): Promise<void> {
    if (this.#lease.isHeld) await read(this.#watch);
  }
}

interface OpenedReceivers {
  readonly receivers: readonly AddressedReceiver[];
  readonly poster: NoticePoster;
  /** Aborts the requests in progress. */
  readonly stop: AbortController;
}

/** Opens the receivers of a file; returns undefined without a file. @throws OperationError for an invalid file */
export async function openReceivers(
  path: string | undefined,
  say: (message: string) => void,
): Promise<OpenedReceivers | undefined> {
  if (path === undefined) return undefined;
  const receivers = await readReceivers(path);
  const stop = new AbortController();
  return { receivers, poster: await NoticePoster.open(receivers, { say, signal: stop.signal }), stop };
}

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

/** A receiver with its address, its secrets and the form of its messages. */
interface AddressedReceiver extends Receiver {
  readonly url: string;
  /** Path of a file with the secrets that sign, one per line; absent for receivers that check no signature. */
  readonly secretFile?: string;
  /** Template of the message; absent to send the whole notice as JSON. */
  readonly template?: MessageTemplate;
}

/** Keys of a receiver with their meanings, for the documentation. */
export const RECEIVER_KEYS = {
  name: "1 to 64 letters, digits, dots, underscores or hyphens",
  url: "the address",
  url_file: "a file with the address, instead of `url`, where the address is a secret",
  secret_file:
    "secrets that sign, one a line: `whsec_` and 24 to 64 random bytes in base64; read again when the file changes",
  min_severity: `${FAILURE_SEVERITIES.join(", ")}; MEDIUM by default`,
  kinds: `${RISK_KINDS.join(", ")}; all by default`,
  places:
    "sites, floors, rooms, rows, zones or racks; everywhere by default. A window counts for the places of its elements",
  text: "a text instead of the whole message, for chat tools",
  text_field: "the field of that text: `text` by default, some tools want `content`",
  text_markup:
    "how the tool reads that text: `slack` (default), `markdown` (Teams, Matrix, Mattermost, Discord) or `none`",
} as const;
type ReceiverKey = keyof typeof RECEIVER_KEYS;
const RECEIVER_KEY_NAMES: readonly string[] = Object.keys(RECEIVER_KEYS);
const NAME_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;
const MAX_RECEIVERS = 100;
const PLACE_KINDS = ["site", "floor", "room", "row", "zone", "rack"];

/**
 * Reads the file of receivers: YAML or JSON with a list `receivers`. Paths in it are relative to the file.
 * @throws OperationError that names the field, its value and what was expected
 */
export async function readReceivers(path: string): Promise<readonly AddressedReceiver[]> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(readText(path), { prettyErrors: true, uniqueKeys: true });
  const [error] = document.errors;
  if (error !== undefined) throw createInvalidArgumentError(`Cannot read "${path}": ${error.message.split("\n")[0]}`);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  const list = isJsonObject(value) ? value["receivers"] : undefined;
  if (!isJsonObject(value) || !Array.isArray(list) || Object.keys(value).length !== 1) {
    throw createInvalidArgumentError(
      `Cannot use "${path}": expected the key "receivers" with a list, and nothing else`,
    );
  }
  if (list.length === 0 || list.length > MAX_RECEIVERS) {
    throw createInvalidArgumentError(
      `Cannot use "${path}": it has ${list.length} receivers, expected 1 to ${MAX_RECEIVERS}`,
    );
  }
  const receivers = list.map((one, index) => parseReceiver(new ReceiverFields(one, `receivers[${index}]`, path)));
  const names = receivers.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw createInvalidArgumentError(`Cannot use "${path}": two receivers have the name "${twice}"`);
  return receivers;
}

/** Reads the fields of one receiver; errors name the field. */
class ReceiverFields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #where: string;
  readonly #path: string;

  constructor(value: unknown, where: string, path: string) {
    this.#where = where;
    this.#path = path;
    if (!isJsonObject(value))
      throw createInvalidArgumentError(`Cannot use ${where} of "${path}": expected keys and values`);
    this.#values = value;
    const unknown = Object.keys(value).find((key) => !RECEIVER_KEY_NAMES.includes(key));
    if (unknown !== undefined)
      throw createInvalidArgumentError(
        `Unknown key "${unknown}" in ${where} of "${path}": expected ${RECEIVER_KEY_NAMES.join(", ")}`,
      );
  }

  text(key: ReceiverKey): string | undefined {
    const value = this.#values[key];
    if (value === undefined || (typeof value === "string" && value !== "")) return value;
    throw this.createFieldError(key, value, "a text");
  }

  getTexts(key: ReceiverKey): readonly string[] | undefined {
    const value = this.#values[key];
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string")) return value;
    throw this.createFieldError(key, value, "a list of texts");
  }

  getFilePath(key: ReceiverKey): string | undefined {
    const value = this.text(key);
    return value === undefined ? undefined : resolve(dirname(this.#path), value);
  }

  createFieldError(key: ReceiverKey, value: unknown, expected: string): OperationError {
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    return createInvalidArgumentError(
      `Cannot use ${key} "${shown}" in ${this.#where} of "${this.#path}": expected ${expected}`,
    );
  }
}

function parseReceiver(fields: ReceiverFields): AddressedReceiver {
  const name = fields.text("name") ?? "";
  if (!NAME_PATTERN.test(name))
    throw fields.createFieldError("name", name, "1 to 64 letters, digits, dots, underscores or hyphens");
  const secretFile = fields.getFilePath("secret_file");
  const template = parseTemplate(fields);
  if (secretFile === undefined && template === undefined) {
    throw fields.createFieldError(
      "secret_file",
      "",
      "a file with a secret, or a text for a chat tool, which checks none",
    );
  }
  return {
    name,
    url: readUrl(fields),
    minSeverity: parseSeverity(fields),
    kinds: new Set(parseKinds(fields)),
    places: (fields.getTexts("places") ?? []).map((text) => parsePlace(fields, text)),
    ...(secretFile !== undefined && { secretFile }),
    ...(template !== undefined && { template }),
  };
}

/** Reads the address, which may come from a file, because addresses of chat tools are secrets. */
function readUrl(fields: ReceiverFields): string {
  const [given, file] = [fields.text("url"), fields.getFilePath("url_file")];
  if ((given === undefined) === (file === undefined))
    throw fields.createFieldError("url", given === undefined ? "" : "(given)", "either url or url_file");
  const text = given ?? readText(file ?? "").trim();
  const shown = given ?? "(of the file)";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw fields.createFieldError("url", shown, "an address that begins with https:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    throw fields.createFieldError("url", "(with a password)", "an address without a name and a password");
  }
  return url.href;
}

function parseSeverity(fields: ReceiverFields): FailureSeverity {
  const given = fields.text("min_severity") ?? "MEDIUM";
  const found = FAILURE_SEVERITIES.find((one) => one === given.toUpperCase());
  if (found === undefined)
    throw fields.createFieldError("min_severity", given, `one of ${FAILURE_SEVERITIES.join(", ")}`);
  return found;
}

function parseKinds(fields: ReceiverFields): readonly RiskKind[] {
  return (fields.getTexts("kinds") ?? RISK_KINDS).map((given) => {
    const found = RISK_KINDS.find((one) => one === given);
    if (found === undefined) throw fields.createFieldError("kinds", given, `some of ${RISK_KINDS.join(", ")}`);
    return found;
  });
}

function parsePlace(fields: ReceiverFields, text: string): Ref {
  const ref = parseRef(text);
  if (ref !== undefined && PLACE_KINDS.includes(ref.kind)) return ref;
  throw fields.createFieldError("places", text, `references of ${PLACE_KINDS.join(", ")}, such as room:AMS1/1/DH1`);
}

function parseTemplate(fields: ReceiverFields): MessageTemplate | undefined {
  const [text, field, given] = [fields.text("text"), fields.text("text_field"), fields.text("text_markup")];
  if (text === undefined) {
    if (field !== undefined) throw fields.createFieldError("text_field", field, "nothing without text");
    if (given !== undefined) throw fields.createFieldError("text_markup", given, "nothing without text");
    return undefined;
  }
  const fault = findTemplateError(text);
  if (fault !== undefined) throw fields.createFieldError("text", text, fault);
  const markup = MARKUPS.find((one) => one === (given ?? "slack"));
  if (markup === undefined) throw fields.createFieldError("text_markup", given, `one of ${MARKUPS.join(", ")}`);
  return { text, field: field ?? "text", markup };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new OperationError("not_found", `Cannot read "${path}": ${(error as Error).message}`, { cause: error });
  }
}

/** Markup that chat tools read in the text of a message. */
const MARKUPS = ["slack", "markdown", "none"] as const;
export type Markup = (typeof MARKUPS)[number];

/** A message text with placeholders in braces, for a chat tool. */
interface MessageTemplate {
  readonly text: string;
  /** Field of the message that contains the text: `text` for most tools, `content` for some. */
  readonly field: string;
  /** Markup for which values are escaped. The template's own text comes from the operator and may use markup. */
  readonly markup: Markup;
}

/** Values of a notice by placeholder. */
const PLACEHOLDER_VALUES = {
  type: ({ body }) => body.type,
  subject: ({ body }) => body.subject,
  severity: ({ body }) => body.severity,
  state: ({ body }) => body.state,
  was: ({ body }) => body.was,
  summary: ({ body }) => body.summary,
  elements: ({ body }) => body.elements.join(", "),
  at: ({ body }) => body.at,
} satisfies Record<string, (notice: Notice) => string>;

const PLACEHOLDER = /\{(\w*)\}/g;

/** Returns the expected placeholders if the text contains an unknown one, otherwise undefined. */
function findTemplateError(text: string): string | undefined {
  const names = Object.keys(PLACEHOLDER_VALUES);
  const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name = ""]) => !names.includes(name));
  return unknown === undefined ? undefined : `in braces one of ${names.join(", ")}`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const ZERO_WIDTH_SPACE = "\u200B";

/**
 * Escapes a value so that it is displayed literally, because names in the inventory may contain links, mentions and
 * tags. Tools with markup read entities for `&`, `<` and `>`. A zero-width space prevents that a tool reads `@` as a
 * mention, and `https:` or `www` as an address. Source: Slack, formatting text for app surfaces;
 * CommonMark 0.31, backslash escapes and entity references; GFM 0.29, 6.9.
 */
export function escapeValue(value: string, markup: Markup): string {
  if (markup === "none") return value;
  const line = value.replaceAll(/\s+|[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ");
  // A digit or a mark at the start of a line would begin a list, a heading or a rule.
  const escaped =
    markup === "markdown"
      ? line.replaceAll(/[\\`*_[\]~|]|^ *[-+#=]|(?<=^ *\d{1,9})[.)]/g, (found) => found.replace(/\S/, "\\$&"))
      : line.replaceAll(/\](?=\(|$)/g, `]${ZERO_WIDTH_SPACE}`);
  return escaped
    .replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign)
    .replaceAll(/@|:(?=\/\/)|www(?=\.)/gi, `$&${ZERO_WIDTH_SPACE}`);
}

/** Builds the body of the request that sends a notice: the template's text, or the whole notice as JSON. */
export function buildMessageBody(notice: Notice, template: MessageTemplate | undefined): string {
  if (template === undefined) {
    const { type, at, ...data } = notice.body;
    return JSON.stringify({ type, timestamp: at, data });
  }
  const values: Readonly<Record<string, (notice: Notice) => string>> = PLACEHOLDER_VALUES;
  const text = template.text.replace(PLACEHOLDER, (whole, name: string) =>
    escapeValue(values[name]?.(notice) ?? whole, template.markup),
  );
  return JSON.stringify({ [template.field]: text });
}
