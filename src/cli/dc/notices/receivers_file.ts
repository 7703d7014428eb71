import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { FAILURE_SEVERITIES, type FailureSeverity } from "#dc/model/enum_values.ts";
import { parseRef, type Ref } from "#dc/model/ref.ts";
import type { Receiver } from "#dc/notices/receiver.ts";
import { RISK_KINDS, type RiskKind } from "#dc/operations/notices/notice.ts";
import { createInvalidArgumentError, OperationError } from "#kernel/errors.ts";
import { isJsonObject } from "#kernel/json_object.ts";
import { findTemplateError, MARKUPS, type MessageTemplate } from "./notice_text.ts";

/** A receiver with its address, its secrets and the form of its messages. */
export interface AddressedReceiver extends Receiver {
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
