import { NUMBER_BOUNDS, TEXT_LENGTHS } from "#gen/datacenter/v1/bounds.ts";
import { MAX_LABEL_KEY_CHARS, MAX_LABEL_VALUE_CHARS, MAX_LABELS, MAX_TAGS } from "../limits.ts";
import type { PortKind } from "../model/enum_values.ts";
import { isPortTypeAllowed } from "../model/port_types.ts";
import { codeKey, isSlugText, parseCode } from "../model/ref.ts";
import { type OmissionLog, removeEmptyFields } from "./items.ts";

const MAX_CODE_CHARS = 64;
/** Letters that Unicode does not decompose, with their usual spelling in ASCII. */
const ASCII_BY_LETTER: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
  ø: "o",
  Ø: "O",
  đ: "d",
  Đ: "D",
  ð: "d",
  þ: "th",
  ł: "l",
  Ł: "L",
  ı: "i",
};

/** Converts a name to the grammar of codes; returns "" if no letter or digit of it can be spelled in ASCII. */
export function convertToCode(name: string): string {
  return name
    .slice(0, 4 * MAX_CODE_CHARS)
    .replace(/[ßæÆœŒøØđĐðþłŁı]/gu, (letter) => ASCII_BY_LETTER[letter] ?? letter)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|[-]+$/g, "")
    .slice(0, MAX_CODE_CHARS);
}

/** Converts a name to a slug; returns undefined if no character remains. */
export function convertToSlug(name: string): string | undefined {
  const slug = convertToCode(name).toLowerCase();
  return slug === "" ? undefined : slug;
}

interface NamedObject {
  readonly id: string;
  readonly name: string;
  /** Names of the objects that contain it, widest first: site, location, rack. */
  readonly within: readonly string[];
}

/**
 * Returns a code for each object, by id: its stored code, else its name, else its name qualified by the objects that
 * contain it, else a numbered code in the given order. Equal input gives equal codes.
 * @param known codes of objects that were imported before, by id
 * @param foreign keys of codes that other resources use
 */
export function assignCodes(
  objects: readonly NamedObject[],
  known: ReadonlyMap<string, string>,
  foreign: ReadonlySet<string>,
  fallback: string,
): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  const used = new Set(foreign);
  let open: NamedObject[] = [];
  for (const one of objects) {
    const code = known.get(one.id);
    if (code === undefined || used.has(codeKey(code))) open.push(one);
    else {
      codes.set(one.id, code);
      used.add(codeKey(code));
    }
  }
  const deepest = Math.max(0, ...open.map(({ within }) => within.length));
  for (let depth = 0; depth <= deepest && open.length > 0; depth += 1) {
    open = assignUniqueCodes(open, (one) => qualifyName(one, depth, fallback), codes, used);
  }
  for (const one of open) {
    const base = qualifyName(one, deepest, fallback);
    codes.set(
      one.id,
      takeUnusedName([], (number) => formatNumberedCode(base, number), used),
    );
  }
  return codes;
}

/** Assigns codes that are valid, unused and wished by one object only. Returns the objects without a code. */
function assignUniqueCodes(
  open: readonly NamedObject[],
  formatCode: (one: NamedObject) => string,
  codes: Map<string, string>,
  used: Set<string>,
): NamedObject[] {
  const wanted = new Map<string, number>();
  const wishes = open.map((one) => {
    const code = formatCode(one);
    wanted.set(codeKey(code), (wanted.get(codeKey(code)) ?? 0) + 1);
    return { one, code };
  });
  const rest: NamedObject[] = [];
  const taken: string[] = [];
  for (const { one, code } of wishes) {
    if (wanted.get(codeKey(code)) === 1 && !used.has(codeKey(code)) && parseCode(code) !== undefined) {
      codes.set(one.id, code);
      taken.push(codeKey(code));
    } else rest.push(one);
  }
  for (const key of taken) used.add(key);
  return rest;
}

function qualifyName({ id, name, within }: NamedObject, depth: number, fallback: string): string {
  const base = convertToCode(name) || convertToCode(`${fallback}-${id}`);
  const parts = [...within.slice(0, depth).map(convertToCode), base].filter((part) => part !== "");
  const code = parts.join("-");
  // A long qualification is shortened before the name itself.
  return code.length <= MAX_CODE_CHARS ? code : convertToCode(code.slice(code.length - MAX_CODE_CHARS));
}

function formatNumberedCode(base: string, number: number): string {
  const suffix = `-${number}`;
  return `${base.slice(0, MAX_CODE_CHARS - suffix.length)}${suffix}`;
}

/**
 * Returns the first name whose key is not used, and marks the key as used.
 * @param wishes names to try first
 * @param number formats a name with a number, from 2, to try after the wishes
 */
export function takeUnusedName(
  wishes: readonly string[],
  number: (number: number) => string,
  used: Set<string>,
  keyOf: (name: string) => string = codeKey,
): string {
  for (let tried = 0; ; tried += 1) {
    const name = wishes[tried] ?? number(tried - wishes.length + 2);
    if (used.has(keyOf(name))) continue;
    used.add(keyOf(name));
    return name;
  }
}

/** A value in a file that violates the library's schema. */
export interface TypeProblem {
  /** Path of the value in the document: `["interfaces", 3, "type"]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Converts a value to text; YAML reads unquoted `8000` or `yes` as other types, although text was meant. */
export function convertToText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Returns an optional value as `read` converts it. Notes an unexpected value and returns undefined. */
export function readOptional<Value>(
  { value, path, expected }: { readonly value: unknown; readonly path: TypeProblem["path"]; readonly expected: string },
  convert: (value: unknown) => Value | undefined,
  notes: TypeProblem[],
): Value | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const known = convert(value);
  if (known === undefined)
    notes.push({ path, message: `expected ${expected}, found ${formatValue(value)}: it is left out` });
  return known;
}

/** Returns a boolean; undefined for other values, including words that other YAML versions read as booleans. */
export function convertToBoolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

export function formatValue(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/** Names of the legs of a three-phase feed in sources. */
export const FEED_LEGS = ["A", "B", "C"] as const;

/** Maximum number of positions of a port. */
export const MAX_POSITIONS = NUMBER_BOUNDS.Port.positions.max;

/** Returns a source's port type in the inventory's spelling; undefined if a port of this kind cannot have it. */
export function convertToPortType(kind: PortKind, given: string): string | undefined {
  const type = convertToSlug(given);
  return type !== undefined && isPortTypeAllowed(kind, type) ? type : undefined;
}

/** Converts NetBox's spelling of an enumeration value, in lower case with hyphens; undefined for other words. */
export function convertToEnumValue<Word extends string>(words: readonly Word[], given: string): Word | undefined {
  const wanted = given.toUpperCase().replaceAll("-", "_");
  return words.find((word) => word === wanted);
}

/** Labels with the id of a resource's imported object, and with the address of this object. */
const ORIGIN_LABEL = "origin";
const ORIGIN_URL_LABEL = "origin_url";

/** Information of a source about an object, other than the object's own fields. */
interface ObjectRemarks {
  /** Id of the object in the source, such as `cable/12`. */
  readonly id: string;
  readonly name: string;
  /** Id with the name of the source, such as `netbox:cable/12`. */
  readonly origin: string;
  readonly url?: string | undefined;
  /** Labels of the object, the most important first; labels beyond the limit are omitted. */
  readonly labels: readonly (readonly [key: string, value: string])[];
  readonly tags: readonly string[];
  readonly comments: readonly string[];
}

export interface DescribedResource {
  readonly labels?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly comments?: string;
}

/** Fits remarks into the limits of labels, tags and comments, and notes omitted values. */
export function describeResource(remarks: ObjectRemarks, omissions: OmissionLog): DescribedResource {
  return removeEmptyFields<DescribedResource>({
    labels: buildLabels(remarks, omissions),
    tags: buildTags(remarks, omissions),
    comments: clipText(
      remarks.comments
        .map((one) => one.trim())
        .filter((one) => one !== "")
        .join("\n\n"),
      TEXT_LENGTHS.Device.comments,
      () =>
        omissions.addObject(
          `A comment is longer than ${TEXT_LENGTHS.Device.comments} characters: its end is left out`,
          remarks.id,
          remarks.name,
        ),
    ),
  });
}

function buildLabels(
  { id, name, origin, url, labels }: ObjectRemarks,
  omissions: OmissionLog,
): Readonly<Record<string, string>> {
  const all = new Map([[ORIGIN_LABEL, origin]]);
  if (url !== undefined && url.length <= MAX_LABEL_VALUE_CHARS) all.set(ORIGIN_URL_LABEL, url);
  for (const [key, value] of labels) {
    const short = cleanText(key).slice(0, MAX_LABEL_KEY_CHARS);
    const text = cleanText(value);
    if (short === "" || text === "" || all.has(short)) continue;
    if (all.size >= MAX_LABELS) {
      omissions.addObject(`More than ${MAX_LABELS} labels: the rest is left out`, id, name, key);
      break;
    }
    all.set(
      short,
      clipText(text, MAX_LABEL_VALUE_CHARS, () =>
        omissions.addObject(
          `A label is longer than ${MAX_LABEL_VALUE_CHARS} characters: its end is left out`,
          id,
          name,
          key,
        ),
      ),
    );
  }
  return Object.fromEntries(all);
}

function buildTags({ id, name, tags }: ObjectRemarks, omissions: OmissionLog): readonly string[] {
  const slugs = new Set<string>();
  for (const tag of tags) {
    const slug = isSlugText(tag) ? tag : convertToSlug(tag);
    if (slug === undefined) omissions.addObject("A tag has no letter or digit that a slug takes", id, name, tag);
    else slugs.add(slug);
  }
  if (slugs.size > MAX_TAGS) omissions.addObject(`More than ${MAX_TAGS} tags: the rest is left out`, id, name);
  return [...slugs].slice(0, MAX_TAGS);
}

/** Returns a text without control characters within the limit of names; calls `onCut` if it is longer. Undefined if empty. */
export function limitNameLength(text: string, onCut: () => void): string | undefined {
  const short = clipText(cleanText(text), TEXT_LENGTHS.Device.name, onCut);
  return short === "" ? undefined : short;
}

/** Trims a text and replaces its control characters by blanks. */
function cleanText(text: string): string {
  return /[\p{Cc}\p{Cs}]/u.test(text) ? text.replace(/[\p{Cc}\p{Cs}]+/gu, " ").trim() : text.trim();
}

function clipText(text: string, most: number, cut: () => void): string {
  const safe = text.includes("\0") ? text.replaceAll("\0", " ") : text;
  if (safe.length <= most) return safe;
  cut();
  // Does not split a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(safe[most - 1] ?? "") ? most - 1 : most;
  return safe.slice(0, end);
}

const MAX_NAME_CHARS = TEXT_LENGTHS.Port.name;
/** Characters forbidden in a port name: control characters, line separators and the sign that joins two ends. */
const FORBIDDEN_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * Names of the ports of one device, each used once. If two kinds of ports share a name, the first kind keeps it and the
 * others append the word of their kind: `1` and `1 (rear)`.
 */
export class UniquePortNames {
  readonly #usedNames = new Set<string>();

  /** @param word word of the port's kind, such as `rear` */
  takeName(name: string, word: string, id: string): string {
    const base = truncateName(name, MAX_NAME_CHARS) || `${word} ${id}`;
    const append = (suffix: string) => `${truncateName(base, MAX_NAME_CHARS - suffix.length)}${suffix}`;
    const wishes = [base, append(` (${word})`)];
    return takeUnusedName(
      wishes,
      (number) => append(` (${word} ${number})`),
      this.#usedNames,
      (wish) => wish,
    );
  }
}

function truncateName(name: string, most: number): string {
  const safe = name
    .slice(0, 4 * MAX_NAME_CHARS)
    .replace(FORBIDDEN_CHARACTERS, " ")
    .replaceAll("~", "-")
    .trim();
  if (safe.length <= most) return safe;
  return safe
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, "")
    .trimEnd();
}
