/** Whether a JSON value is an object rather than an array, null or a scalar. `Value` is the type of its fields. */
export function isJsonObject<Value = unknown>(value: unknown): value is Readonly<Record<string, Value>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the fields of a JSON object, or an empty object for any other value. */
export function getJsonFields(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}

/** Parses JSON. Returns undefined if the text is not valid JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON in which no object has a name twice. `JSON.parse` keeps the last of equal names, so that two programs read
 * one text differently.
 * @throws SyntaxError
 */
export function parseUniqueJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const doubled = findDoubledName(text);
  if (doubled !== undefined) throw new SyntaxError(`The name ${doubled} occurs twice in one object`);
  return value;
}

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;

/** Returns the first name, in quotes, that an object of valid JSON has twice. */
function findDoubledName(text: string): string | undefined {
  // The names of each open object; undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  let name = "";
  for (const [token] of text.matchAll(JSON_TOKEN)) {
    switch (token) {
      case "{":
        open.push(new Set());
        break;
      case "[":
        open.push(undefined);
        break;
      case "}":
      case "]":
        open.pop();
        break;
      case ":":
        if (open.at(-1)?.has(name) === true) return name;
        open.at(-1)?.add(name);
        break;
      default:
        name = token.includes("\\") ? JSON.stringify(JSON.parse(token)) : token;
    }
  }
  return undefined;
}
