/** A step takes one character, or continues at each of the steps in `to`. */
type Step = { readonly takes: (char: string) => boolean } | { readonly to: readonly number[] };

/** Returns whether a glob matches a path, or a folder above it. */
export type GlobMatcher = (path: string) => boolean;

const takesAny = (): boolean => true;
const takesName = (char: string): boolean => char !== "/";

/**
 * Compiles a glob as git reads it, with the shell's `{a,b}`. Without a slash it matches in every folder. A bracket or
 * brace without a meaning is literal.
 *
 * Follows all alternatives at once instead of backtracking, so a match takes time linear in glob times path.
 */
export function compileGlob(glob: string): GlobMatcher {
  const plain = normalizeGlob(glob);
  const isRooted = plain.includes("/") || glob.startsWith("/");
  const steps = compileSteps(isRooted ? plain : `**/${plain}`);
  return (path) => matchSteps(steps, path);
}

/** Returns why a glob matches no path of a repository; null if it can match. */
export function findGlobFault(glob: string): string | null {
  const plain = normalizeGlob(glob);
  if (plain === "") return "it names no file";
  if (plain.split("/").includes("..")) return "a path in the repository has no .. in it";
  if (glob.startsWith("!")) return "a leading ! excludes nothing here";
  if (/\\\w/.test(glob)) return "folders are separated by /";
  return null;
}

function normalizeGlob(glob: string): string {
  const parts = glob.split("/");
  return parts.filter((part) => part !== "" && part !== ".").join("/");
}

/**
 * Matches one part of a glob. Lengths are bounded, so that an unclosed bracket costs no search to the end: a longer
 * bracket or range is literal.
 */
const TOKEN_PATTERN =
  /\*\*\/?|\{\w{1,16}\.\.\w{1,16}\}|[*?{},]|\[[!^]?(?:\[:\w{1,6}:\]|\\?.)(?:\[:\w{1,6}:\]|\\.|[^\]\\]){0,64}\]|\\?./gsu;

/** Braces that are open: the step that begins the alternatives, their beginnings, and the steps that end one early. */
interface OpenBrace {
  readonly start: number;
  readonly begins: number[];
  readonly ends: number[];
}

/** Compiles to a list of steps after whose last the path is matched. */
function compileSteps(glob: string): readonly Step[] {
  const tokens = glob.match(TOKEN_PATTERN) ?? [];
  const roles = findBraceRoles(tokens);
  const steps: Step[] = [];
  const open: OpenBrace[] = [];
  for (const [index, token] of tokens.entries()) {
    const role = roles.get(index);
    if (role === undefined) steps.push(...compileToken(token, steps.length));
    else addBraceStep(steps, open, role);
  }
  return steps;
}

function addBraceStep(steps: Step[], open: OpenBrace[], role: "open" | "comma" | "close"): void {
  const at = steps.length;
  if (role === "open") open.push({ start: at, begins: [], ends: [] });
  const brace = role === "close" ? open.pop() : open.at(-1);
  if (brace === undefined) return;
  if (role === "close") {
    steps[brace.start] = { to: brace.begins };
    for (const end of brace.ends) steps[end] = { to: [at] };
    return;
  }
  brace.begins.push(at + 1);
  if (role === "comma") brace.ends.push(at);
  // The closing brace fills this step in.
  steps.push({ to: [] });
}

/** Finds the parts of closed braces with a comma; other braces and commas are literal. */
function findBraceRoles(tokens: readonly string[]): ReadonlyMap<number, "open" | "comma" | "close"> {
  const found = new Map<number, "open" | "comma" | "close">();
  const open: { readonly at: number; readonly commas: number[] }[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token === "{") open.push({ at, commas: [] });
    if (token === ",") open.at(-1)?.commas.push(at);
    const brace = token === "}" ? open.pop() : undefined;
    if (brace === undefined || brace.commas.length === 0) continue;
    found.set(brace.at, "open").set(at, "close");
    for (const comma of brace.commas) found.set(comma, "comma");
  }
  return found;
}

/** @param at index of the token's first step */
function compileToken(token: string, at: number): readonly Step[] {
  const repeat = (takes: (char: string) => boolean, first = at): readonly Step[] => [
    { to: [first + 1, first + 3] },
    { takes },
    { to: [first] },
  ];
  if (token === "**/") return [{ to: [at + 1, at + 5] }, ...repeat(takesAny, at + 1), takeChar("/")];
  if (token === "**") return repeat(takesAny);
  if (token === "*") return repeat(takesName);
  // A range of numbers or letters counts as any of them.
  if (/^\{.+\}$/s.test(token)) return repeat((char) => /\w/.test(char));
  if (token === "?") return [{ takes: takesName }];
  const takes = /^\[.+\]$/s.test(token) ? compileBracket(token) : null;
  if (takes !== null) return [{ takes }];
  // A backslash makes the next character literal.
  return [...token.replace(/^\\(?=.)/s, "")].map(takeChar);
}

function takeChar(char: string): Step {
  return { takes: (one) => one === char };
}

const NAMED_CLASSES: Readonly<Record<string, RegExp>> = {
  ...{ alnum: /[a-z0-9]/i, alpha: /[a-z]/i, blank: /[ \t]/, digit: /\d/, lower: /[a-z]/, upper: /[A-Z]/ },
  ...{ punct: /[!-/:-@[-`{-~]/, space: /\s/, xdigit: /[0-9a-f]/i },
};

/** Returns the test of a bracket such as `[!a-z]`; null if a range runs backwards or a class is unknown. */
function compileBracket(bracket: string): ((char: string) => boolean) | null {
  const isNegated = /^\[[!^]./s.test(bracket);
  const items = bracket.slice(isNegated ? 2 : 1, -1).matchAll(/\[:(\w+):\]|\\?(.)(?:-\\?(.))?/gsu);
  const tests: ((char: string) => boolean)[] = [];
  for (const [, name, from = "", to = from] of items) {
    const named = name === undefined ? undefined : NAMED_CLASSES[name];
    if (from > to || (name !== undefined && named === undefined)) return null;
    tests.push(named === undefined ? (char) => from <= char && char <= to : (char) => named.test(char));
  }
  return (char) => char !== "/" && tests.some((test) => test(char)) !== isNegated;
}

function matchSteps(steps: readonly Step[], path: string): boolean {
  let current: number[] = [];
  let isMatched = false;
  // The round in which each step was last reached, so that a round visits it once.
  const reached = new Uint32Array(steps.length + 1);
  let round = 1;
  const follow = (into: number[], first: number): void => {
    const waiting = [first];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (reached[at] === round) continue;
      reached[at] = round;
      const step = steps[at];
      if (step === undefined) isMatched = true;
      else if ("to" in step) waiting.push(...step.to);
      else into.push(at);
    }
  };
  follow(current, 0);
  for (const char of path) {
    // A matched folder includes everything below it.
    if (char === "/" && isMatched) return true;
    const next: number[] = [];
    round++;
    isMatched = false;
    for (const at of current) {
      const step = steps[at];
      if (step !== undefined && "takes" in step && step.takes(char)) follow(next, at + 1);
    }
    if (next.length === 0 && !isMatched) return false;
    current = next;
  }
  return isMatched;
}
