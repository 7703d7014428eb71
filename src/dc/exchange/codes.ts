import { codeKey, parseCode } from "#dc/model/code.ts";

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

export interface NamedObject {
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
