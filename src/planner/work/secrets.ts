/** Minimum length of a masked value in characters. As in GitLab CI: shorter values are parts of ordinary words. */
const MIN_VALUE_CHARS = 8;

/** Minimum length of a masked value of letters alone; shorter ones are words that output needs, such as "postgres". */
const MIN_WORD_CHARS = 16;

/** Maximum length in characters of a token pattern's match, and of the part of a line that the mask holds back. */
const MAX_SECRET_CHARS = 8 * 1024;

const MASK = "***";

const SECRET_NAME =
  /SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|TOKEN(?!S|IZ)|(?:^|_)(?:KEY|PAT|PASS|AUTH|JWT|COOKIE)$/i;

/** Matches suffixes of variables that contain a secret's location or name instead of the secret. */
const LOCATION_NAME = /_(?:FILE|PATH|DIR|SOCK|SOCKET|URL|URI|HOST|PORT|NAME|ID|TYPE)$/i;

const URL_PASSWORD = /:\/\/[^\s/:@]{0,256}:([^\s/@]+)@/;

/** Start of a token: not within a longer word. A word also begins after an escaped line break in JSON. */
const TOKEN_START = String.raw`(?<![\w-])|(?<=\\[nrt])`;

/** Token patterns from the issuers' documentation and from gitleaks. Each match fits in `MAX_SECRET_CHARS`. */
const TOKEN_PATTERNS = [
  "gh[pousr]_[A-Za-z0-9]{36,255}",
  "github_pat_\\w{36,255}",
  "gl(?:pat|dt|ptt|rt|cbt|ft|soat|oas|agent|imt)-[\\w-]{20,300}",
  "sk-(?=[\\w-]{0,300}\\d)[\\w-]{20,300}",
  "[sr]k_(?:live|test)_[A-Za-z0-9]{16,255}",
  "(?:gsk|xai|hf|npm|dckr_pat|do[opr]_v1|shpat|shpss)[_-][A-Za-z0-9_-]{27,255}",
  "pypi-[\\w-]{50,1000}",
  "xox[abeoprs]-[\\w-]{10,255}",
  "xapp-[\\w-]{20,255}",
  "(?:AKIA|ASIA)[A-Z0-9]{16}(?![\\w-])",
  "AIza[\\w-]{35}",
  "planner_[\\w-]{43}(?![\\w-])",
  "GOCSPX-[\\w-]{28}",
  "SG\\.[\\w-]{16,64}\\.[\\w-]{16,64}",
  "AGE-SECRET-KEY-1[A-Z0-9]{58}",
  "eyJ[\\w-]{8,2000}\\.eyJ[\\w-]{4,4000}\\.[\\w-]{8,2000}",
] as const;

const KEY_BEGIN = "-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----";
const KEY_END = "-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----";
/** Line breaks, plain and as escaped in JSON. */
const LINE_BREAKS = "(?:\\s|\\\\+[nr])*";
const PRIVATE_KEY = `${KEY_BEGIN}(?:${LINE_BREAKS}[A-Za-z0-9+/=]{16,})+(?:${LINE_BREAKS}[A-Za-z0-9+/=]+)?(?:${LINE_BREAKS}${KEY_END})?`;

const SECRET_PATTERNS = [
  `(?:${TOKEN_START})(?:${TOKEN_PATTERNS.join("|")})`,
  PRIVATE_KEY,
  // The captured group stays unmasked.
  "(:\\/\\/[^\\s\\/:@\"']{0,256}:)[^\\s\\/@\"']{3,256}(?=@)",
  "([Aa](?:uthorization|UTHORIZATION)[\"'\\\\]{0,4}\\s?[:=]\\s?[\"'\\\\]{0,4}(?:[Bb]earer|[Bb]asic|[Tt]oken)\\s)[\\w.~+/=-]{8,4000}",
];

const KEY_BEGIN_LINE = new RegExp(`${KEY_BEGIN}\\W*$`);
const KEY_END_LINE = new RegExp(KEY_END);
const KEY_LINE = /^[\s>|#"',\\]*(?:[A-Za-z0-9+/=]+|(?:Proc-Type|DEK-Info|Version|Comment|Hash): .*)?[\s"',\\]*$/;

/** Returns the values of environment variables whose names indicate secrets, and the passwords in URLs. */
export function findSecretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = new Set<string>();
  for (const [name, value = ""] of Object.entries(env)) {
    const password = URL_PASSWORD.exec(value)?.[1];
    if (password !== undefined) values.add(password);
    if (!SECRET_NAME.test(name) || LOCATION_NAME.test(name)) continue;
    // Agents print text line by line, so each line of a value is masked separately.
    for (const line of value.split(/[\r\n]+/)) values.add(line.trim());
  }
  return [...values].filter(isMaskableValue);
}

function isMaskableValue(value: string): boolean {
  if (value.length < MIN_VALUE_CHARS || value.startsWith("-----")) return false;
  return value.length >= MIN_WORD_CHARS || !/^[A-Za-z]+$/.test(value);
}

/**
 * Masks secrets in the lines of one stream: known values, also in their JSON, URL and Base64 encodings, and texts in
 * the form of a token or a private key.
 *
 * Source: docs/decisions.md#s-55. Cost: O(characters); holds at most `MAX_SECRET_CHARS` or the longest value.
 */
export class SecretMask {
  readonly #pattern: RegExp;
  readonly #maxHeldChars: number;
  /** Held-back end of an incomplete line. */
  #heldText = "";
  /** Whether the previous line was part of a private key. */
  #isInKey = false;

  constructor(values: readonly string[]) {
    const texts = [...new Set(values.flatMap(listValueEncodings))].toSorted((a, b) => b.length - a.length);
    this.#pattern = new RegExp([...texts.map((text) => RegExp.escape(text)), ...SECRET_PATTERNS].join("|"), "g");
    this.#maxHeldChars = Math.max(MAX_SECRET_CHARS, texts[0]?.length ?? 0);
  }

  /** Returns the masked text. @param whole false for a piece of a line; its end is then returned with the next piece */
  line(piece: string, whole = true): string {
    const text = this.#heldText + piece;
    const masked = this.#maskKeyLine(this.#mask(text, whole), whole);
    this.#heldText = whole ? "" : masked.slice(-this.#maxHeldChars);
    return whole ? masked : masked.slice(0, -this.#maxHeldChars);
  }

  #mask(text: string, whole: boolean): string {
    return text.replace(this.#pattern, (match: string, ...rest: (string | number | undefined)[]) => {
      const [before, offset] = [rest[0] ?? rest[1] ?? "", rest[2]];
      // A match at the end of a piece may continue in the next one.
      return !whole && Number(offset) + match.length === text.length ? match : `${before}${MASK}`;
    });
  }

  /** Masks the lines of a private key that spans several lines. */
  #maskKeyLine(text: string, whole: boolean): string {
    if (this.#isInKey) {
      if (KEY_END_LINE.test(text)) this.#isInKey = false;
      else if (!KEY_LINE.test(text)) this.#isInKey = false;
      else return text.trim() === "" ? text : MASK;
    }
    if (whole && text.includes("PRIVATE KEY") && KEY_BEGIN_LINE.test(text)) this.#isInKey = true;
    return text;
  }
}

/** Returns a value and its encodings in JSON, URLs and Base64. */
function listValueEncodings(value: string): readonly string[] {
  const bytes = new TextEncoder().encode(value);
  // Within a longer Base64 text a value has one of three alignments. Omits characters that depend on neighbours.
  const base64Texts = [0, 1, 2].map((from) => {
    const whole = bytes.subarray(from, bytes.length - ((bytes.length - from) % 3));
    return btoa(String.fromCharCode(...whole));
  });
  const long = base64Texts.filter((text) => text.length >= MIN_VALUE_CHARS);
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed()), ...long];
}
