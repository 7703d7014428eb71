import { codeKey, parseCode } from "#dc/model/code.ts";

const MAX_CODE_CHARS = 64;
/** Letters that Unicode does not decompose, with their usual spelling in ASCII. */
const SPELLED: Readonly<Record<string, string>> = {
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

/** Returns a name in the grammar of codes, or an empty text when no letter or digit of it can be spelled in ASCII. */
export function codeFrom(name: string): string {
  return name
    .slice(0, 4 * MAX_CODE_CHARS)
    .replace(/[ßæÆœŒøØđĐðþłŁı]/gu, (letter) => SPELLED[letter] ?? letter)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|[-]+$/g, "")
    .slice(0, MAX_CODE_CHARS);
}

/** Returns a name as a slug, or undefined when nothing of it remains. */
export function slugFrom(name: string): string | undefined {
  const slug = codeFrom(name).toLowerCase();
  return slug === "" ? undefined : slug;
}

export interface Named {
  readonly id: string;
  readonly name: string;
  /** What distinguishes objects of one name, widest first: site, location, rack. */
  readonly within: readonly string[];
}

/**
 * Gives each object a code: the one it has, else its name, else its name qualified by what holds it, else numbered in
 * the order given. Equal input gives equal codes.
 * @param known codes of objects that were imported before
 * @param foreign keys of codes that others hold
 */
export function assignCodes(
  objects: readonly Named[],
  known: ReadonlyMap<string, string>,
  foreign: ReadonlySet<string>,
  fallback: string,
): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  const used = new Set(foreign);
  let open: Named[] = [];
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
    open = settle(open, (one) => qualifyName(one, depth, fallback), codes, used);
  }
  for (const one of open) numberCode(one, qualifyName(one, deepest, fallback), codes, used);
  return codes;
}

/** Assigns codes that are valid, unused and requested by one object of the round only; returns the other objects. */
function settle(
  open: readonly Named[],
  wish: (one: Named) => string,
  codes: Map<string, string>,
  used: Set<string>,
): Named[] {
  const wanted = new Map<string, number>();
  const wishes = open.map((one) => {
    const code = wish(one);
    wanted.set(codeKey(code), (wanted.get(codeKey(code)) ?? 0) + 1);
    return { one, code };
  });
  const rest: Named[] = [];
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

function qualifyName({ id, name, within }: Named, depth: number, fallback: string): string {
  const base = codeFrom(name) || codeFrom(`${fallback}-${id}`);
  const parts = [...within.slice(0, depth).map(codeFrom), base].filter((part) => part !== "");
  const code = parts.join("-");
  // A long qualification is shortened before the name itself.
  return code.length <= MAX_CODE_CHARS ? code : codeFrom(code.slice(code.length - MAX_CODE_CHARS));
}

function numberCode({ id }: Named, base: string, codes: Map<string, string>, used: Set<string>): void {
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const code = `${base.slice(0, MAX_CODE_CHARS - suffix.length)}${suffix}`;
    if (used.has(codeKey(code))) continue;
    codes.set(id, code);
    used.add(codeKey(code));
    return;
  }
}
